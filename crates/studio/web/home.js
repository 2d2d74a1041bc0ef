// The start page: the available pages, and the games played in this browser.
import { button, make } from "./dom.js";
import { forget, stored } from "./store.js";

const card = (href, title, text) => make("a", { class: "card-box way", href }, make("h2", {}, title), make("p", {}, text));

export const open = ({ root, games, about }) => {
  const ways = about?.is_live ? [card("#/live", "Live", "The games that are being played now.")] : [
    card("#/play", "Play", "Against any agent of this program, in any of its games and by any clock."),
    card("#/analysis", "Analysis", "A position of yours, and the engine's lines as they grow."),
  ];
  if (about && !about.is_live) ways.push(card("#/logs", "Logs", "Games that were logged: step through them, see what each move lost."));
  const list = make("ul", { class: "recent" });
  const fill = () => {
    const recent = stored();
    list.replaceChildren(...recent.map((game) => {
      const about = games.find(({ name }) => name === game.game);
      const text = `${about?.title ?? game.game} as ${about?.roles[game.side]} against ${game.agent}, ${game.moves.length} moves`;
      return make("li", {}, make("a", { href: `#/play/${game.id}` }, text),
        button("Forget", () => { forget(game.id); fill(); }, { "aria-label": `Forget ${text}` }));
    }));
    section.hidden = recent.length === 0;
  };
  const section = make("section", { class: "card-box" }, make("h2", {}, "Your games"), list);
  fill();
  root.append(make("h1", {}, "turnwise studio"), make("div", { class: "ways" }, ways),
    section, make("section", { class: "card-box" }, make("h2", {}, "Games"), make("ul", {}, games.map(({ name, title, summary }) =>
      make("li", {}, make("a", { href: `#/play?game=${name}` }, title), `: ${summary}.`)))));
};
