// The start page: a card for each game, the games played in this browser, and the newest logs.
import { button, make } from "./dom.js";
import { listLogs } from "./folder.js";
import { forget, stored } from "./store.js";
import { ViewBox } from "./view.js";
import { opponentOf } from "./words.js";

const NEWEST = 5;
// The maximum number of games under way above the cards; "Your games" lists the others.
const MOST_OPEN = 3;
const MOST_CARDS = 12;

// The views of positions in mid-game, by game. A position is requested once.
const scenes = new Map();

// Returns a picture of a game, which appears as soon as the engine answers.
const scene = ({ engine, signal }, about) => {
  const box = make("div", { class: "scene", "aria-hidden": "true", inert: true });
  if (!scenes.has(about.name)) scenes.set(about.name, engine.ask({ ask: "scene", game: about.name }));
  scenes.get(about.name).then((view) => {
    if (signal.aborted) return;
    let left = MOST_CARDS;
    const panels = view.panels.map((panel) => {
      const cards = panel.cards.slice(0, left);
      left -= cards.length;
      return { ...panel, cards };
    });
    const drawn = new ViewBox(about);
    drawn.draw({ ...view, news: null, panels: panels.filter(({ cards }) => cards.length) });
    box.replaceChildren(drawn.stage);
  }, () => scenes.delete(about.name));
  return box;
};

const card = (page, about) => make("article", { class: "card-box way" }, scene(page, about),
  make("h2", {}, about.title), make("p", { class: "muted" }, `${about.summary}.`),
  make("div", { class: "actions" },
    make("a", { class: "main", href: `#/play?game=${about.name}`, "aria-label": `Play ${about.title}` }, "Play"),
    about.has_rules ? make("a", { href: `#/rules?game=${about.name}`, "aria-label": `Rules of ${about.title}` }, "Rules") : null,
    about.has_puzzles ? make("a", { href: `#/puzzles?game=${about.name}`, "aria-label": `Puzzles of ${about.title}` }, "Puzzles") : null));

const textOf = (games, game) => {
  const about = games.find(({ name }) => name === game.game);
  return `${about?.title ?? game.game} as ${about?.roles[game.side]} against ${opponentOf(game)}, ${game.moves.length} moves`;
};

const placeOf = ({ id, isFriend }) => isFriend ? `#/match/${id}` : `#/play/${id}`;

const logRows = (logs) => logs.slice(0, NEWEST).map((log) => make("li", {},
  make("a", { href: `#/log/${encodeURIComponent(log.id)}` }, log.title || log.name), make("span", { class: "muted" }, log.name)));

export const open = async (page) => {
  const { root, games, about, signal } = page;
  const going = make("section", { class: "card-box continue", "aria-label": "Your games under way" });
  const list = make("ul", { class: "recent" });
  const section = make("section", { class: "card-box" }, make("h2", {}, "Your games"), list);
  const fill = () => {
    const recent = stored();
    const open = recent.filter(({ result, over }) => !result && !over).slice(0, MOST_OPEN);
    const others = recent.filter((game) => !open.includes(game));
    const forgetting = (game) => button("Forget", () => { forget(game.id); fill(); }, { "aria-label": `Forget ${textOf(games, game)}` });
    going.hidden = open.length === 0;
    going.replaceChildren(make("ul", { class: "recent" }, open.map((game) => make("li", {}, textOf(games, game),
      make("span", { class: "actions" }, make("a", { class: "main", href: placeOf(game), "aria-label": `Continue ${textOf(games, game)}` }, "Continue"), forgetting(game))))));
    list.replaceChildren(...others.map((game) => make("li", {},
      make("a", { href: placeOf(game) }, textOf(games, game)), make("span", { class: "muted" }, game.result ?? "under way"), forgetting(game))));
    section.hidden = others.length === 0;
  };
  fill();
  const friends = make("section", { class: "card-box", hidden: true });
  const newest = make("section", { class: "card-box", hidden: true });
  const live = about?.is_live ? make("p", {}, make("a", { class: "main", href: "#/live" }, "Watch the live games")) : null;
  root.append(make("h1", { class: "unseen" }, "turnwise studio"), ...live ? [live] : [], going,
    make("div", { class: "ways" }, live ? [] : games.map((about) => card(page, about))), section, friends, newest);
  if (about && !live) {
    const response = await fetch("api/matches", { signal });
    const { matches } = response.ok ? await response.json() : { matches: [] };
    friends.hidden = matches.length === 0;
    friends.append(make("h2", {}, "Friends at play"), make("ul", { class: "recent" }, matches.map(({ id, game, names, moves }) => make("li", {},
      make("a", { href: `#/match/${id}` }, `${games.find(({ name }) => name === game)?.title ?? game}: ${names.join(" and ")}`), make("span", { class: "muted" }, `${moves} moves`)))));
  }
  if (!about?.has_logs) return;
  const logs = (await listLogs(signal)).filter(({ error }) => !error);
  newest.hidden = logs.length === 0;
  newest.append(make("h2", {}, "Newest logs"), make("ul", { class: "recent" }, logRows(logs)), make("a", { href: "#/logs" }, "All logs"));
};
