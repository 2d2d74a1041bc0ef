// The rules of a game: paragraphs, some with a position.
import { make } from "./dom.js";
import { ViewBox } from "./view.js";

export const open = async ({ root, games, engine, query, signal, missing }) => {
  const about = games.find(({ name }) => name === query.get("game"));
  if (!about?.has_rules) return missing("Nobody has written the rules of this game down.");
  const rules = await engine.ask({ ask: "rules", game: about.name }, signal);
  const figure = ({ caption, view }) => {
    const box = new ViewBox(about);
    box.draw({ ...view, news: null });
    return make("figure", { class: "card-box" }, box.stage, make("figcaption", { class: "muted" }, caption));
  };
  document.title = `Rules of ${about.title} · turnwise`;
  root.append(make("article", { class: "rules" }, make("h1", {}, about.title),
    rules.map(({ words, example }) => [make("p", {}, words), example ? figure(example) : null]),
    make("a", { class: "main", href: `#/play?game=${about.name}` }, "Play")));
};
