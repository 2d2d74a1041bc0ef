// The running games: small pictures of all, or one large game in the viewer.
import { button, make } from "./dom.js";
import { Board } from "./board.js";
import { boardAfter, isOver, isTable, latest, measuredText, moveText, openReplay, resultOf, rolesOf } from "./replay.js";
import { watch } from "./stream.js";
import { clockText } from "./words.js";

// The names of a ply's fields, and of the game's lists that contain their values.
const LISTS = { side: "sides", tile: "tiles", from: "from", to: "to", words: "words" };
const LOGGED = ["clock", "soft", "hard", "used", "cpu", "depth", "nodes", "expected", "value"];

// Adds a ply to a game. Lists without known values are empty or missing.
const advance = (game, ply, move) => {
  const plies = game.to.length;
  for (const [name, list] of Object.entries(LISTS)) (game[list] ??= Array(plies).fill(""))[plies] = ply[name];
  for (const name of LOGGED) {
    game[name] ??= [];
    while (game[name].length < plies) game[name].push(null);
    game[name][plies] = ply[name] ?? null;
  }
  if (game.changed || ply.changed.length) (game.changed ??= Array(plies).fill([]))[plies] = ply.changed;
  ply.measures.forEach((value, which) => game.measures[which].push(value));
  game.moves.push(move);
};

export const open = (page) => {
  const { root, signal } = page;
  if (!page.about?.is_live) return page.missing("No games are being played here.", "#/", "To the beginning");
  const games = new Map();
  const title = make("h1", {}, "Live");
  const count = make("p", { class: "muted", id: "count" });
  const grid = make("div", { class: "miniatures", id: "miniatures" });
  const large = make("section", { class: "card-box", id: "large", hidden: true });
  const all = button("All games", () => { location.hash = "#/live"; }, { id: "all", hidden: true });
  
  const small = new Map();
  let replay = null;
  let isClosed = false;
  const [wanted] = page.path;
  const isWanted = (game) => String(game.id) === wanted;

  const tell = () => {
    const over = [...games.values()].filter(isOver).length;
    count.textContent = `Being played: ${games.size - over}, over: ${over}.${isClosed ? " The match is over." : ""}`;
  };

  // Returns a line for each player, with its clock and its expectation, or its points with more than two players.
  const players = (game) => rolesOf(game).map((role, side) => {
    const plies = game.to.length;
    const [clock, expected] = [latest(game, game.clock, side, plies), latest(game, game.expected, side, plies)];
    const figures = [
      isTable(game) ? `${game.measures[side][plies]} points` : null,
      clock === null ? null : clockText(clock) + measuredText(game, side), expected === null ? null : `expects ${expected.toFixed(1)}`,
    ];
    return make("div", {}, make("b", {}, game.players[side]), ` ${[role, ...figures.filter(Boolean)].join(", ")}`);
  });

  const drawSmall = (game) => {
    if (!small.has(game.id)) {
      const element = make("div", {});
      const parts = { board: new Board(element), said: make("div", { class: "muted" }), who: make("div", {}) };
      parts.node = make("button", {
        type: "button", class: "card-box miniature", click: () => { location.hash = `#/live/${encodeURIComponent(game.id)}`; },
      }, parts.who, make("div", { class: "board-box" }, element), parts.said);
      small.set(game.id, parts);
      grid.prepend(parts.node);
    }
    const { board, said, who } = small.get(game.id);
    const plies = game.to.length;
    board.draw(boardAfter(game, plies));
    who.replaceChildren(...players(game));
    said.textContent = isOver(game) ? `Over: ${resultOf(game)}` : plies ? `Ply ${plies}: ${moveText(game, plies - 1)}` : "It begins";
  };

  root.append(title, count, all, grid, large);

  const drawLarge = (game) => {
    if (replay) return replay.grown();
    [large.hidden, all.hidden, grid.hidden] = [false, false, true];
    replay = openReplay(large, [game], { signal });
    replay.show(game, game.to.length);
  };

  // Draws at most once a frame, because moves may arrive faster than a game can be drawn.
  const undrawn = new Set();
  const draw = (game) => {
    if (!undrawn.size) requestAnimationFrame(drawAll);
    undrawn.add(game);
  };
  const drawAll = () => {
    for (const game of undrawn) {
      if (wanted === undefined) drawSmall(game);
      else if (isWanted(game)) drawLarge(game);
    }
    undrawn.clear();
    tell();
  };

  let match = null;
  const add = (game) => {
    // A known game keeps its object, because the viewer refers to it.
    const known = games.get(game.id);
    games.set(game.id, Object.assign(known ?? {}, game, { match: 1, of: match }));
    draw(games.get(game.id));
  };

  const setLost = (isLost) => { document.getElementById("lost").hidden = !isLost; };
  signal.addEventListener("abort", () => setLost(false));
  const acts = { lost: setLost };
  const on = (name, act) => { acts[name] = act; };
  // The whole state, at the beginning and after lost events.
  on("games", (told) => {
    match = told.match;
    title.textContent = match.title;
    told.games.forEach(add);
    tell();
    if (wanted !== undefined && ![...games.values()].some(isWanted)) page.missing("That game is not known here any more.", "#/live", "All games");
  });
  on("began", add);
  on("moved", ({ id, ply, move, fault }) => {
    const game = games.get(id);
    if (!game) return;
    advance(game, ply, move);
    if (fault) game.fault = fault;
    draw(game);
  });
  on("ended", (ended) => {
    add(ended);
    page.say(`A game is over: ${ended.players.join(" against ")}, ${resultOf(games.get(ended.id))}.`);
  });
  on("closed", () => {
    isClosed = true;
    tell();
  });
  watch("api/live/events", (name, data) => acts[name](data), signal);
};
