// The running games: small pictures of all, or one large game in the viewer.
import { button, make } from "./dom.js";
import { isOver, openReplay, resultOf } from "./replay.js";
import { openProjector, showGame } from "./projector.js";
import { watch } from "./stream.js";

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
  game.to_move = ply.to_move;
};

export const open = (page) => {
  const { root, signal } = page;
  if (!page.about?.is_live) return page.missing("No games are being played here.");
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

  const drawSmall = (game) => {
    if (!small.has(game.id)) {
      const { node, draw } = showGame(game);
      small.set(game.id, draw);
      grid.prepend(button(node, () => { location.hash = `#/live/${encodeURIComponent(game.id)}`; }, { class: "card-box miniature" }));
    }
    small.get(game.id)();
  };

  const projector = page.query.has("projector") ? openProjector(page, games, title) : null;
  if (!projector) root.append(title, count, make("p", {}, make("a", { href: "#/live?projector" }, "Projector")), all, grid, large);

  const drawLarge = (game) => {
    if (replay) return replay.grown();
    [large.hidden, all.hidden, grid.hidden] = [false, false, true];
    replay = openReplay(large, [game], { signal });
    replay.show(game, game.to.length);
  };

  // Draws at most once a frame, because moves may arrive faster than a game can be drawn.
  const undrawn = new Set();
  const draw = (game) => {
    if (projector) return;
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
    games.set(game.id, Object.assign(known ?? {}, game, { match: 1, of: match, at: Date.now() - 1000 * game.since }));
    draw(games.get(game.id));
  };

  const acts = {
    // The whole state, at the beginning and after lost events.
    games: (told) => {
      match = told.match;
      title.textContent = match.title;
      // A game that is missing from the state has ended meanwhile.
      for (const game of games.values()) {
        game.live = false;
        draw(game);
      }
      told.games.forEach(add);
      projector?.rank(told.standings);
      tell();
      if (wanted !== undefined && ![...games.values()].some(isWanted)) page.missing("That game is not known here any more.", "#/live", "All games");
    },
    began: add,
    standings: (told) => projector?.rank(told),
    moved: ({ id, ply, move, clock, fault }) => {
      const game = games.get(id);
      if (!game) return;
      advance(game, ply, move);
      game.at = Date.now();
      if (clock !== undefined) game.clocks[ply.side] = clock;
      if (fault) game.fault = fault;
      draw(game);
    },
    ended: (ended) => {
      add(ended);
      page.say(`A game is over: ${ended.players.join(" against ")}, ${resultOf(games.get(ended.id))}.`);
    },
    closed: () => {
      isClosed = true;
      projector?.close();
      tell();
    },
  };
  watch("api/live/events", (name, data) => acts[name]?.(data), signal);
};
