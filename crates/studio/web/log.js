// A log: its games in the viewer, with links to review and analysis.
import { button, make } from "./dom.js";
import { followLogs, listLogs, readLog, showAgain, stampOf } from "./folder.js";
import { drawRanking } from "./ranking.js";
import { gamesOf, isTable, openReplay, positionIn } from "./replay.js";
import { saveButtons } from "./saving.js";
import { packed } from "./words.js";

// The size in bytes from which reading a whole log takes long.
const LARGE = 16e6;

// The last log that was dropped onto the page; reloading the page discards it.
let dropped = null;
export const keepDropped = (match) => { dropped = match; };

export const open = async (page) => {
  const { root, path: [id], query, signal } = page;
  const isOurs = id !== "dropped";
  const find = (logs) => logs.find((log) => log.id === id);
  // Read before the log, so that the next check detects changes made meanwhile.
  const listed = isOurs ? find(await listLogs(signal)) : null;
  let stamp = stampOf(listed);
  const number = (name) => Math.trunc(Number(query.get(name) ?? 1)) || 0;
  const isLarge = listed?.bytes > LARGE;
  const pair = isLarge && query.has("pair") ? number("pair") : null;
  const match = isOurs ? await readLog(id, signal, pair) : dropped;
  if (!match) return page.missing("No log was dropped.", "#/logs", "Choose one");
  const games = gamesOf([match]);
  root.append(make("h1", {}, match.title));
  // Calls `act` with the log's match once the log has grown.
  const follow = (act) => isOurs && pair === null && followLogs(signal, async (logs) => {
    const now = stampOf(find(logs));
    if (!now || now === stamp) return;
    act(await readLog(id, signal));
    stamp = now;
  });
  if (!games.length) {
    follow((told) => { if (told.games.length) showAgain(); });
    return page.missing("There is no game in this log.", "#/logs", "Choose another");
  }
  const news = make("p", { class: "muted", id: "news", role: "status" });
  const ranking = make("section", { class: "card-box", id: "ranking", hidden: true });
  if (isLarge) {
    const chosen = make("input", { class: "short", id: "pair", type: "number", min: 1, required: true, value: pair, "aria-label": "Pair" });
    const submit = (event) => {
      event.preventDefault();
      location.hash = `#/log/${id}?pair=${chosen.value}&game=1`;
    };
    news.append(`This log is large. ${pair === null ? "" : `Only pair ${pair} is shown. `}`,
      pair === null ? "" : make("a", { href: `#/log/${id}` }, "Read all games"));
    root.append(make("form", { class: "typed", submit }, chosen, button("Open this pair", null, { type: "submit" })));
  }
  root.append(news, ranking);
  const section = make("section", { class: "card-box" });
  root.append(section);
  const now = () => positionIn(replay.now().game, replay.now().ply);
  const whole = () => positionIn(replay.now().game);
  const analyse = button("Analyse this position", () => { location.hash = `#/analysis?position=${packed(now())}`; }, { id: "analyse" });
  const actions = make("div", { class: "actions" },
    button("Review this game", () => {
      location.hash = `#/review?opening=${replay.now().game.opening}&position=${packed(whole())}`;
    }, { id: "review" }), analyse);
  // Only positions of games of two can be analysed.
  const aim = (game) => { analyse.hidden = isTable(game); };
  const replay = openReplay(section, games, {
    signal, actions: [actions, saveButtons(page, now, whole)],
    shown: (game, ply) => {
      aim(game);
      history.replaceState(null, "", `#/log/${id}?pair=${game.pair}&game=${game.game}&ply=${ply}`);
    },
  });
  aim(replay.now().game);
  // A tournament opens on its ranking.
  const rank = (told) => {
    ranking.hidden = !told.ranking;
    if (!told.ranking) return;
    const box = make("div", {});
    drawRanking(box, told.ranking, replay.opener(match), "h2");
    ranking.replaceChildren(make("p", { class: "muted" }, told.ranking.occasion), box);
  };
  rank(match);
  const wanted = query.has("pair") && games.find((game) => game.pair === number("pair") && game.game === number("game"));
  if (wanted) replay.show(wanted, query.has("ply") ? number("ply") : 0);
  let fresh = 0;
  follow((told) => {
    const known = new Set(games.map((game) => `${game.pair} ${game.game}`));
    const more = gamesOf([told]).filter((game) => !known.has(`${game.pair} ${game.game}`));
    if (!more.length) return;
    games.push(...more.map((game) => Object.assign(game, { of: match })));
    replay.grown();
    rank(told);
    fresh += more.length;
    news.textContent = fresh === 1 ? "1 new game" : `${fresh} new games`;
  });
};
