// The viewer: steps through games of matches. crates/report/src/page/data.rs writes the data, for logs and live games
// alike. Content from a log is only ever set as text.
import { button, make, rowsOf } from "./dom.js";
import { Board, boardWords, cellName, cellsOf, chainOf, moveMarks } from "./board.js";
import { COLOURS, course } from "./course.js";
import { openSteps } from "./steps.js";

const MOST_LISTED = 1000;

// Returns the letters by cell after a number of plies.
const cellsAfter = (game, plies) => {
  const cells = cellsOf(game.beginning);
  for (let at = 0; at < plies; at++) {
    const [from, to] = [game.from[at], game.to[at]];
    if (to !== null && from === null) cells[to] = game.tiles[at];
    else if (to !== null && from !== to) { cells[to] = cells[from]; cells[from] = ""; }
    for (const [cell, letter] of game.changed?.[at] ?? []) cells[cell] = letter.trim();
  }
  return cells;
};

// Returns the cells over which a tile slid.
const passed = (game, from, to) => {
  if (from === null || to === null || from === to || game.of.pieces) return [];
  const isInRow = Math.floor(from / game.columns) === Math.floor(to / game.columns);
  const step = Math.sign(to - from) * (isInRow ? 1 : game.columns);
  if ((to - from) % step !== 0) return [];
  return Array.from({ length: (to - from) / step - 1 }, (_, at) => from + step * (at + 1));
};

// True for more than two players at a table; then the names of roles and measures belong to the game.
export const isTable = (game) => Boolean(game.roles);
export const rolesOf = (game) => game.roles ?? game.of.roles;
const measuresOf = (game) => game.measured ?? game.of.measures;

// Returns the board after a number of plies, with the last move marked.
export const boardAfter = (game, plies) => {
  const [from, to] = plies > 0 ? [game.from[plies - 1], game.to[plies - 1]] : [null, null];
  return {
    cells: cellsAfter(game, plies), columns: game.columns, names: game.names, columnFirst: game.of.column_first,
    pieces: game.of.pieces, areas: game.of.pieces ? game.beginning : "",
    marks: moveMarks(from, to, passed(game, from, to)),
    // A log does not contain the path of a jumping piece.
    chain: game.of.pieces ? [] : chainOf(from, to),
  };
};

// Describes a move; `who` made it.
export const moveText = (game, at, who = `${game.players[game.sides[at]]} (${rolesOf(game)[game.sides[at]]})`) => {
  const [from, to] = [game.from[at], game.to[at]];
  const name = (cell) => cellName({ names: game.names, columns: game.columns, columnFirst: game.of.column_first }, cell);
  const opening = at < game.opening ? ", random opening" : "";
  const words = to === null ? game.words[at] : "";
  if (to === null) return words === "pass" ? `${who} passes${opening}` : `${who}: ${words}${opening}`;
  if (from === null) return `${who} places ${game.tiles[at]} on ${name(to)}${opening}`;
  return `${who} ${game.of.verb} ${name(from)} to ${name(to)}${opening}`;
};

const milliseconds = (value) => value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const value = (list, at) => (at >= 0 && list?.length ? list[at] ?? null : null);
// Returns a note for a side whose times are not reported but measured at the other end of a connection.
const measuredText = (game, side) => side === game.measured_side ? ", measured with the way there" : "";
// Returns a player's last value up to a ply.
export const latest = (game, list, side, plies) => {
  for (let at = plies - 1; at >= 0; at--) {
    if (game.sides[at] === side && value(list, at) !== null) return list[at];
  }
  return null;
};

// All games of a log are over. Some watched games end without a result.
export const isOver = (game) => !game.live;
const hasResult = (game) => game.score !== null && game.score !== undefined;

// Describes who has won a game, and how.
const ending = (game) => {
  if (game.score === 0.5) return game.ending;
  return `${game.of.roles[game.score === 1 ? 0 : 1]} wins: ${game.ending}`;
};
const signed = (won) => won > 0 ? `+${won}` : won < 0 ? `−${-won}` : "0";
// With more than two players, lists the points that each has won, the most first.
const wonByAll = (game) => game.players.map((name, side) => [name, game.won[side]])
  .sort(([, one], [, other]) => other - one).map(([name, won]) => `${name} ${signed(won)}`).join(", ");
export const resultOf = (game) => {
  if (!hasResult(game)) return "no result";
  if (isTable(game)) return wonByAll(game);
  return game.of.is_won ? ending(game) : String(game.score);
};
const wonScore = (game) => game.score === 0.5 ? "½–½" : game.score === 1 ? "1–0" : "0–1";
const shortScore = (game) => {
  if (!isOver(game)) return "live";
  if (!hasResult(game)) return "–";
  if (isTable(game)) return signed(Math.max(...game.won));
  return game.of.is_won ? wonScore(game) : String(game.score);
};

const details = (game, ply) => {
  const at = ply - 1;
  const rows = [["ply", `${ply}\u00A0of\u00A0${game.to.length}`]];
  measuresOf(game).forEach((name, which) => rows.push([name, String(game.measures[which][ply])]));
  const add = (name, figure, show) => { if (figure !== null) rows.push([name, show(figure)]); };
  add("expected final score", value(game.expected, at), (x) => x.toFixed(1));
  const sought = game.of.is_won ? `value for ${game.of.roles[0]}` : "value in the search";
  add(sought, value(game.value, at), (x) => x.toFixed(1));
  // The time that counts on the clock and has limits, and the other time.
  const [wall, cpu] = [["wall time", game.used], ["CPU time", game.cpu]];
  const [charged, other] = game.of.counts === "cpu" ? [cpu, wall] : [wall, cpu];
  const isMeasured = measuredText(game, game.sides[at]);
  add(isMeasured ? `waited for it${isMeasured}` : game.of.counts ? `${charged[0]}, on the clock` : charged[0],
    value(charged[1], at), milliseconds);
  add("meant for the move", value(game.soft, at), milliseconds);
  add("allowed at most", value(game.hard, at), milliseconds);
  add(other[0], value(other[1], at), milliseconds);
  add("depth", value(game.depth, at), String);
  add("nodes", value(game.nodes, at), (x) => Math.round(x).toLocaleString("en"));
  rolesOf(game).forEach((role, side) => {
    const clock = game.of.counts === "cpu" ? "CPU clock" : "clock";
    add(`${role}'s ${clock} before its move${measuredText(game, side)}`, latest(game, game.clock, side, ply), (x) => `${x.toFixed(2)} s`);
  });
  if (isOver(game) && ply === game.to.length) rows.push([game.of.is_won ? "result" : "final score", resultOf(game)]);
  return rows;
};

// Returns the lines of a game's course, each with a name, a color and points [ply, height]: the measures of the board,
// and both players' expectations if their scale is common.
export const courseLines = (game) => {
  const series = (which) => game.measures[which].map((height, at) => [at, height]);
  if (game.measures.length >= 2) {
    const names = isTable(game) ? game.players.map((name) => name.length > 14 ? `${name.slice(0, 13)}…` : name) : measuresOf(game);
    return names.map((name, which) => [name, COLOURS[which % COLOURS.length], series(which)]);
  }
  const expected = game.expected ?? [];
  const seen = (side) => expected.map((score, at) => [at + 1, score])
    .filter(([at, score]) => score !== null && game.sides[at - 1] === side);
  const lines = game.measures.length ? [["on the board", COLOURS[2], series(0)]] : [];
  if (expected.some((x) => x !== null)) {
    const [first, second] = game.of.roles;
    lines.unshift([`${first} expects`, COLOURS[0], seen(0)], [`${second} expects`, COLOURS[1], seen(1)]);
  }
  return lines;
};

// Scrolls a list, and nothing around it, as far as an entry needs to be seen.
const reveal = (list, entry) => {
  const [inner, outer] = [entry?.getBoundingClientRect(), list.getBoundingClientRect()];
  if (!entry || inner.top < outer.top) list.scrollTop += (inner?.top ?? -Infinity) - outer.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
};

const named = (game, word) => game.players.some((name) => name.toLowerCase().includes(word));
// Returns the tests of the filter's words: "match 2", "pair 3" and "game 1" require these numbers, a number alone is a
// pair, "fault" is a fault, and all other words are parts of names.
const wanted = (text) => {
  const tests = [];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  while (words.length) {
    const word = words.shift();
    const isNumber = (word) => /^\d+$/.test(word ?? "");
    if (["match", "pair", "game"].includes(word) && isNumber(words[0])) {
      const number = Number(words.shift());
      tests.push((game) => game[word] === number);
    } else if (isNumber(word)) {
      tests.push((game) => game.pair === Number(word) || named(game, word));
    } else {
      const begins = (known) => known.startsWith(word);
      tests.push((game) => named(game, word) || (game.fault && begins("fault")) || ["match", "pair", "game"].some(begins));
    }
  }
  return (game) => tests.every((test) => test(game));
};

// Returns the games of matches; each refers to its match.
export const gamesOf = (matches) => matches.flatMap((match, at) =>
  match.games.map((game) => Object.assign(game, { match: at + 1, of: match })));

// Returns how eventful a game was: how often the lead changed or, with only one measure, how far the expected score
// moved. A game without a proper result comes last.
const eventfulness = (game) => {
  if (game.fault || !hasResult(game)) return -1;
  if (game.measures.length < 2) {
    const expected = (game.expected ?? []).slice(game.opening).filter((score) => score !== null);
    return expected.length ? Math.max(...expected) - Math.min(...expected) : 0;
  }
  let [changes, leader] = [0, null];
  for (let ply = 0; ply <= game.to.length; ply++) {
    const heights = game.measures.map((measure) => measure[ply]);
    const most = Math.max(...heights);
    const now = heights.indexOf(most);
    if (heights.lastIndexOf(most) !== now || now === leader) continue;
    if (leader !== null) changes++;
    leader = now;
  }
  return changes;
};
// Returns the most eventful of some games; of a tournament, one of the two best that met.
export const mostEventful = (games) => {
  const best = games[0].of.ranking?.names.slice(0, 2) ?? [];
  const ofBest = games.filter((game) => best.length && best.every((name) => game.players.includes(name)));
  const scored = (ofBest.length ? ofBest : games).map((game) => [eventfulness(game), game]);
  return scored.reduce((most, one) => one[0] > most[0] ? one : most)[1];
};

// Returns a logged game as a position of crates/study after a number of moves.
export const positionIn = (game, plies = game.moves.length) => ({
  game: game.of.game, settings: game.of.settings, beginning: { logged: game.result }, moves: game.moves.slice(0, plies),
});

// Fills an element with the viewer of at least one game. Calls `shown(game, ply)` on every change; `actions` are
// elements below the controls. Its listeners end with `signal`.
export const openReplay = (root, games, { shown = () => {}, actions = [], signal } = {}) => {
  const matches = Math.max(...games.map((game) => game.match));
  let chosen = mostEventful(games);
  let ply = 0;
  // The number of plies of the chosen game when it was last drawn.
  let drawn = 0;
  // The games that are listed although the filter's text does not select them; null if the text selects.
  let only = null;
  // The game whose moves are listed.
  let listed = null;
  const buttons = new Map();

  const players = make("p", { id: "players", class: "players" });
  const boardElement = make("div", { id: "board" });
  const board = new Board(boardElement);
  const words = make("div", { id: "board-words", class: "unseen" });
  const move = make("p", { id: "move", class: "move", "aria-live": "polite" });
  const table = make("table", { id: "details", class: "details" });
  const courseBox = make("div", { id: "course", class: "course" });
  const plies = make("ol", { id: "plies", class: "plies", "aria-label": "Moves" });
  const fault = make("div", { id: "fault", class: "fault", hidden: true });
  const list = make("div", { id: "list", class: "list", role: "listbox", "aria-label": "Games" });
  const filter = make("input", {
    id: "filter", type: "search", placeholder: "Find: pair 3, a name, fault", "aria-label": "Find games",
    input: () => { only = null; fillList(); },
  });

  const drawFault = () => {
    const texts = [];
    if (ply === chosen.to.length) {
      const [who, what, said] = chosen.fault ?? [];
      if (chosen.fault) texts.push(make("b", {}, `Fault of ${who}`), make("div", {}, what));
      if (said) texts.push(make("pre", {}, said));
      if (chosen.broken) texts.push(make("div", {}, chosen.broken));
    }
    fault.hidden = texts.length === 0;
    fault.replaceChildren(...texts);
  };

  // Adds the moves that the list lacks, and marks the one that led to the position.
  const drawPlies = () => {
    if (listed !== chosen) plies.replaceChildren();
    listed = chosen;
    for (let at = plies.childElementCount; at < chosen.to.length; at++) {
      const side = chosen.sides[at];
      const text = moveText(chosen, at, isTable(chosen) ? chosen.players[side] : rolesOf(chosen)[side]);
      plies.append(make("li", {}, button(text, () => show(chosen, at + 1), { "data-ply": at + 1 })));
    }
    plies.hidden = !plies.childElementCount;
    plies.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const now = plies.children[ply - 1]?.firstChild;
    now?.setAttribute("aria-current", "step");
    reveal(plies, now);
  };

  const draw = () => {
    drawn = chosen.to.length;
    const roles = rolesOf(chosen);
    players.textContent = roles.map((role, side) => `${chosen.players[side]} is ${role}`).join(", ");
    move.textContent = ply ? moveText(chosen, ply - 1) : chosen.beginning.trim() ? "The beginning" : "The empty board";
    const now = boardAfter(chosen, ply);
    board.draw(now);
    const lines = [`Board after ply ${ply} of ${chosen.to.length}.`, ...boardWords(now, roles)];
    words.replaceChildren(...lines.map((text) => make("p", {}, text)));
    table.replaceChildren(...rowsOf(details(chosen, ply)));
    const least = Math.max(4, chosen.of.is_won ? 4 : chosen.score ?? 4);
    courseBox.replaceChildren(course(courseLines(chosen), {
      plies: chosen.to.length, ply, top: least, pick: (at) => show(chosen, at),
    }));
    drawFault();
    drawPlies();
    steps.draw();
    for (const [game, button] of buttons) button.setAttribute("aria-selected", game === chosen);
    reveal(list, buttons.get(chosen));
  };

  // Selects a position and draws it.
  const show = (game, at) => {
    const isOther = game !== chosen;
    if (isOther) steps.stop();
    chosen = game;
    ply = Math.max(0, Math.min(at, game.to.length));
    draw();
    shown(chosen, ply);
  };

  const fillList = () => {
    const found = only ?? games.filter(wanted(filter.value));
    buttons.clear();
    for (const game of found.slice(0, MOST_LISTED)) {
      const what = isTable(game) ? "rotation" : "pair";
      const match = matches > 1 ? `Match ${game.match}, ${what}` : what.replace(/^./, (letter) => letter.toUpperCase());
      const sub = make("div", { class: "sub" }, game.players.join(" – "),
        game.fault ? make("span", { class: "at-fault" }, " · fault") : null);
      buttons.set(game, button([
        make("span", { class: game.fault ? "score at-fault" : "score" }, shortScore(game)),
        make("span", {}, `${match} ${game.pair}, game ${game.game}`), sub,
      ], () => show(game, 0), { role: "option", "aria-selected": String(game === chosen) }));
    }
    const left = found.length - buttons.size;
    const more = found.length === 0 ? "No game fits." : left ? `${left} more: say above which.` : null;
    const hint = more === null ? [] : [make("p", { class: "muted hint" }, more)];
    list.replaceChildren(...buttons.values(), ...hint);
  };

  const neighbour = (by) => {
    const listed = [...buttons.keys()];
    const next = listed[listed.indexOf(chosen) + by];
    if (next) show(next, 0);
  };

  // Above the replay, the keys scroll the page. The replay is in view if it fills most of the window, if it ends inside
  // the window (as in a window that is taller), or if it has the focus.
  const isInView = () => {
    const { top, bottom } = root.getBoundingClientRect();
    return top < innerHeight / 2 || bottom <= innerHeight || root.contains(document.activeElement);
  };

  const steps = openSteps({
    go: (at) => show(chosen, at), now: () => ({ ply, last: chosen.to.length }),
    keys: { ArrowUp: () => neighbour(-1), ArrowDown: () => neighbour(1) },
    isInView, isBusy: (target) => target === filter, signal,
  });
  const help = "Left and right arrow: a ply. Up and down: a game. Home, End, space. The address is a link to this position.";
  root.append(make("div", { class: "replay" },
    make("div", { class: "stage" }, players, make("div", { class: "board-box" }, boardElement), words, steps.element, actions,
      make("p", { class: "muted hint" }, help)),
    make("div", { class: "facts" }, move, fault, table, courseBox, plies),
    make("div", { class: "games" }, filter, list)));
  fillList();
  draw();
  return {
    show,
    // Returns a function for the games of a match: for two players, it returns an action that lists their games and shows
    // the most eventful one, or null without such games.
    opener: (of) => {
      const met = new Map();
      for (const game of games.filter((game) => game.of === of)) {
        for (const one of game.players) {
          for (const other of game.players) {
            const between = `${one}\n${other}`;
            if (!met.get(between)?.push(game)) met.set(between, [game]);
          }
        }
      }
      return (one, other) => {
        const between = met.get(`${one}\n${other}`);
        return between ? () => {
          only = between;
          filter.value = `${one} – ${other}`;
          fillList();
          show(mostEventful(between), 0);
          root.scrollIntoView();
        } : null;
      };
    },
    // Called after games were added or the shown game has grown. A viewer at the end moves to the new end.
    grown: () => {
      if (ply === drawn) ply = chosen.to.length;
      const hasFocus = list.contains(document.activeElement);
      fillList();
      draw();
      if (hasFocus) buttons.get(chosen)?.focus();
    },
    now: () => ({ game: chosen, ply }),
  };
};
