"use strict";
// Steps through the games. The data element holds what page.rs writes. What comes from
// a log is only ever set as text.
(() => {
  const matches = JSON.parse(document.getElementById("data").textContent);
  const games = matches.flatMap((match, at) =>
    match.games.map((game) => ({ ...game, match: at + 1, of: match, size: match.size })));
  if (games.length === 0) return;

  const element = (id) => document.getElementById(id);
  const NAMESPACE = "http://www.w3.org/2000/svg";
  const STEP_MS = 700;
  const MOST_LISTED = 1000;
  let chosen = games[0];
  let ply = 0;
  let timer = null;

  const make = (name, attributes, text) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // The board after a number of plies: letters by cell.
  const boardAfter = (game, plies) => {
    const cells = [...game.beginning].map((letter) => letter === " " ? "" : letter);
    for (let at = 0; at < plies; at++) {
      const [from, to] = [game.from[at], game.to[at]];
      if (to !== null && from === null) cells[to] = game.tiles[at];
      else if (to !== null && from !== to) { cells[to] = cells[from]; cells[from] = ""; }
      for (const [cell, letter] of game.changed ? game.changed[at] : []) cells[cell] = letter.trim();
    }
    return cells;
  };

  // Hues as far apart as the number of colours allows; light and dark in turn for large boards.
  const tint = (letter, colours) => {
    const index = letter.charCodeAt(0) - 65;
    return `hsl(${Math.round(index * 360 / colours + 8) % 360} 72% ${index % 2 ? 76 : 66}%)`;
  };

  // The cell's own name, or rows and columns as the game's own notation has them.
  const cellName = (game, cell) => {
    if (game.names) return game.names[cell];
    const [row, column] = [Math.floor(cell / game.size), cell % game.size];
    return game.of.column_first ? `${column},${row}` : `${row}\u00A0${column}`;
  };

  const moveText = (game, at) => {
    const [from, to] = [game.from[at], game.to[at]];
    const who = `${game.players[game.sides[at]]} (${game.of.roles[game.sides[at]]})`;
    const opening = at < game.opening ? ", random opening" : "";
    const words = to === null ? game.words[at] : "";
    if (to === null) return words === "pass" ? `${who} passes${opening}` : `${who}: ${words}${opening}`;
    if (from === null) return `${who} places ${game.tiles[at]} on ${cellName(game, to)}${opening}`;
    return `${who} ${game.of.verb} ${cellName(game, from)} to ${cellName(game, to)}${opening}`;
  };

  const milliseconds = (value) => value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value < 10 ? 2 : 0)} ms`;
  const value = (list, at) => (at >= 0 && list.length ? list[at] : null);
  // The last value of a player up to a ply.
  const latest = (game, list, side, plies) => {
    for (let at = plies - 1; at >= 0; at--) {
      if (game.sides[at] === side && value(list, at) !== null) return list[at];
    }
    return null;
  };

  const drawBoard = () => {
    const board = element("board");
    const size = chosen.size;
    const cells = boardAfter(chosen, ply);
    const [from, to] = ply > 0 ? [chosen.from[ply - 1], chosen.to[ply - 1]] : [null, null];
    const over = new Set();
    if (from !== null && to !== null && from !== to && !chosen.of.pieces) {
      const step = Math.sign(to - from) * (Math.floor(from / size) === Math.floor(to / size) ? 1 : size);
      if ((to - from) % step === 0) for (let cell = from + step; cell !== to; cell += step) over.add(cell);
    }
    board.classList.toggle("pieces", chosen.of.pieces !== null);
    board.style.gridTemplateColumns = `1.2em repeat(${size}, minmax(0, 1fr))`;
    board.style.setProperty("--letter", `clamp(8px, ${Math.round(150 / size)}px, 30px)`);
    const label = (text) => make("div", { class: "label" }, text);
    const nodes = [label("")];
    for (let column = 0; column < size; column++) nodes.push(label(column));
    cells.forEach((letter, cell) => {
      if (cell % size === 0) nodes.push(label(cell / size));
      const marks = ["cell"];
      if (cell === from && from !== to) marks.push("from");
      if (over.has(cell)) marks.push("over");
      if (cell === to) marks.push("to");
      if (chosen.of.pieces) {
        if (chosen.beginning[cell] !== " ") marks.push("camp");
        if (letter) marks.push("piece", letter === chosen.of.pieces[0] ? "first" : "second");
        nodes.push(make("div", { class: marks.join(" "), title: cellName(chosen, cell) }));
        return;
      }
      const node = make("div", { class: marks.join(" ") }, letter);
      // A mark such as a dot is no tile.
      if (/[\p{L}\p{N}]/u.test(letter)) node.style.background = tint(letter, size);
      else node.style.color = "inherit";
      if (chosen.names) node.title = cellName(chosen, cell);
      nodes.push(node);
    });
    board.replaceChildren(...nodes);
    element("board-words").replaceChildren(...boardWords(chosen, cells).map((text) => make("p", {}, text)));
  };

  // The board in words, for those who do not see it: a line for each row, or for the pieces of each role.
  const boardWords = (game, cells) => {
    const lines = [`Board after ply ${ply} of ${game.to.length}.`];
    if (game.of.pieces) {
      for (const [side, role] of game.of.roles.entries()) {
        const letter = game.of.pieces[side];
        const squares = cells.flatMap((held, cell) => held === letter ? [cellName(game, cell)] : []);
        lines.push(`${role} is on ${squares.join("; ") || "no square"}.`);
      }
      return lines;
    }
    for (let row = 0; row < cells.length / game.size; row++) {
      const tiles = cells.slice(row * game.size, (row + 1) * game.size)
        .flatMap((letter, column) => letter ? [`${letter} in column ${column}`] : []);
      lines.push(`Row ${row}: ${tiles.join(", ") || "empty"}.`);
    }
    return lines;
  };

  // Who has won a game, and how.
  const ending = (game) => {
    if (game.score === 0.5) return game.ending;
    return `${game.of.roles[game.score === 1 ? 0 : 1]} wins: ${game.ending}`;
  };

  const drawDetails = () => {
    const at = ply - 1;
    const rows = [["ply", `${ply}\u00A0of\u00A0${chosen.to.length}`]];
    chosen.of.measures.forEach((name, which) => rows.push([name, String(chosen.measures[which][ply])]));
    const add = (name, figure, show) => { if (figure !== null) rows.push([name, show(figure)]); };
    add("expected final score", value(chosen.expected, at), (x) => x.toFixed(1));
    const sought = chosen.of.is_won ? `value for ${chosen.of.roles[0]}` : "value in the search";
    add(sought, value(chosen.value, at), (x) => x.toFixed(1));
    // What counts on the clock, for which the limits are meant, and the other measure of it.
    const [wall, cpu] = [["wall time", chosen.used], ["CPU time", chosen.cpu]];
    const [charged, other] = chosen.of.counts === "cpu" ? [cpu, wall] : [wall, cpu];
    add(chosen.of.counts ? `${charged[0]}, on the clock` : charged[0], value(charged[1], at), milliseconds);
    add("meant for the move", value(chosen.soft, at), milliseconds);
    add("allowed at most", value(chosen.hard, at), milliseconds);
    add(other[0], value(other[1], at), milliseconds);
    add("depth", value(chosen.depth, at), String);
    add("nodes", value(chosen.nodes, at), (x) => Math.round(x).toLocaleString("en"));
    chosen.of.roles.forEach((role, side) => {
      const clock = chosen.of.counts === "cpu" ? "CPU clock" : "clock";
      add(`${role}'s ${clock} before its move`, latest(chosen, chosen.clock, side, ply), (x) => `${x.toFixed(2)} s`);
    });
    if (ply === chosen.to.length) rows.push(chosen.of.is_won ? ["result", ending(chosen)] : ["final score", String(chosen.score)]);
    element("details").replaceChildren(...rows.map(([name, text]) => {
      const row = make("tr", {});
      row.append(make("td", {}, name), make("td", {}, text));
      return row;
    }));
  };

  // The lines of a game's course, each a name, a colour and points [ply, height]: what is measured on
  // the board, and, where that is of one scale, what both players expected.
  const courseLines = (game) => {
    const series = (which) => game.measures[which].map((height, at) => [at, height]);
    if (game.measures.length === 2) {
      const [first, second] = game.of.measures;
      return [[first, "#3b82f6", series(0)], [second, "#ea6c20", series(1)]];
    }
    const seen = (side) => game.expected.map((score, at) => [at + 1, score])
      .filter(([at, score]) => score !== null && game.sides[at - 1] === side);
    const lines = game.measures.length ? [["on the board", "#8a94a0", series(0)]] : [];
    if (game.expected.some((x) => x !== null)) {
      const [first, second] = game.of.roles;
      lines.push([`${first} expects`, "#3b82f6", seen(0)], [`${second} expects`, "#ea6c20", seen(1)]);
    }
    return lines;
  };

  const drawCourse = () => {
    const [width, height, left, bottom] = [320, 130, 26, 18];
    const plies = chosen.to.length;
    const lines = courseLines(chosen);
    const heights = lines.flatMap(([, , points]) => points.map(([, y]) => y));
    const top = Math.max(4, ...heights, chosen.of.is_won ? 4 : chosen.score) * 1.05;
    const low = Math.min(0, ...heights);
    const x = (at) => left + (width - left - 6) * at / Math.max(1, plies);
    const y = (score) => 16 + (height - bottom - 16) * (1 - (score - low) / (top - low));
    const svg = document.createElementNS(NAMESPACE, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const draw = (name, attributes, text) => {
      const node = document.createElementNS(NAMESPACE, name);
      for (const [key, content] of Object.entries(attributes)) node.setAttribute(key, content);
      if (text !== undefined) node.textContent = text;
      svg.append(node);
    };
    const line = (points, colour, dashes) => points.length && draw("polyline", {
      points: points.map(([at, score]) => `${x(at).toFixed(1)},${y(score).toFixed(1)}`).join(" "),
      fill: "none", stroke: colour, "stroke-width": 1.8, "stroke-dasharray": dashes,
    });
    draw("line", { x1: left, x2: width - 6, y1: y(0), y2: y(0), stroke: "currentColor", opacity: .35 });
    draw("text", { x: left - 4, y: y(0) + 4, "text-anchor": "end" }, "0");
    draw("text", { x: left - 4, y: y(top) + 8, "text-anchor": "end" }, String(Math.round(top)));
    lines.forEach(([, colour, points]) => line(points, colour, "none"));
    draw("line", { x1: x(ply), x2: x(ply), y1: 14, y2: height - bottom, stroke: "currentColor", "stroke-width": 1.2 });
    const room = (width - left) / Math.max(lines.length, 3) * (lines.length === 2 ? 1.5 : 1);
    lines.forEach(([name, colour], at) => {
      draw("rect", { x: left + at * room, y: height - 11, width: 9, height: 7, fill: colour });
      draw("text", { x: left + 13 + at * room, y: height - 4 }, name);
    });
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const position = (event.clientX - box.left) / box.width * width;
      show(chosen, Math.round((position - left) / (width - left - 6) * plies));
    });
    element("course").replaceChildren(svg);
  };

  const drawFault = () => {
    const box = element("fault");
    const ended = ply === chosen.to.length;
    const texts = [];
    if (ended && chosen.fault) texts.push(make("b", {}, `Fault of ${chosen.fault[0]}`), make("div", {}, chosen.fault[1]));
    if (ended && chosen.fault && chosen.fault[2]) texts.push(make("pre", {}, chosen.fault[2]));
    if (ended && chosen.broken) texts.push(make("div", {}, chosen.broken));
    box.hidden = texts.length === 0;
    box.replaceChildren(...texts);
  };

  const wonScore = (game) => game.score === 0.5 ? "½–½" : game.score === 1 ? "1–0" : "0–1";

  const buttons = new Map();
  // What the words of the filter ask for, each a test of a game: "match 2", "pair 3" and "game 1" name
  // exactly these, a number alone is a pair's, "fault" is a fault, and all else part of a name.
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
  const named = (game, word) => game.players.some((name) => name.toLowerCase().includes(word));

  const fillList = () => {
    const found = games.filter(wanted(element("filter").value));
    buttons.clear();
    for (const game of found.slice(0, MOST_LISTED)) {
      const button = make("button", { role: "option", "aria-selected": game === chosen });
      button.append(make("span", { class: game.fault ? "score at-fault" : "score" }, game.of.is_won ? wonScore(game) : game.score));
      const match = matches.length > 1 ? `Match ${game.match}, pair` : "Pair";
      button.append(make("span", {}, `${match} ${game.pair}, game ${game.game}`));
      const sub = make("div", { class: "sub" }, `${game.players[0]} – ${game.players[1]}`);
      if (game.fault) sub.append(make("span", { class: "at-fault" }, " · fault"));
      button.append(sub);
      button.addEventListener("click", () => show(game, 0));
      buttons.set(game, button);
    }
    const left = found.length - buttons.size;
    const more = found.length === 0 ? "No game fits." : left ? `${left} more: say above which.` : null;
    const hint = more === null ? [] : [make("p", { class: "muted hint" }, more)];
    element("list").replaceChildren(...buttons.values(), ...hint);
  };

  const stop = () => {
    clearInterval(timer);
    timer = null;
    element("play").textContent = "Play";
  };
  const togglePlay = () => {
    if (timer !== null) return stop();
    if (ply === chosen.to.length) show(chosen, 0);
    element("play").textContent = "Pause";
    timer = setInterval(() => {
      show(chosen, ply + 1);
      if (ply === chosen.to.length) stop();
    }, STEP_MS);
  };

  const draw = () => {
    element("players").textContent = chosen.of.roles.map((role, side) => `${chosen.players[side]} is ${role}`).join(", ");
    element("move").textContent = ply ? moveText(chosen, ply - 1) : chosen.beginning.trim() ? "The beginning" : "The empty board";
    drawBoard();
    drawDetails();
    drawCourse();
    drawFault();
    const last = chosen.to.length;
    element("slider").max = last;
    element("slider").value = ply;
    for (const id of ["start", "back"]) element(id).disabled = ply === 0;
    for (const id of ["forward", "end"]) element(id).disabled = ply === last;
    for (const [game, button] of buttons) button.setAttribute("aria-selected", game === chosen);
  };

  // Selects a position, draws it, and puts it into the address.
  const show = (game, at) => {
    if (game !== chosen) stop();
    const moved = game !== chosen;
    chosen = game;
    ply = Math.max(0, Math.min(at, game.to.length));
    draw();
    if (moved) buttons.get(chosen)?.scrollIntoView({ block: "nearest" });
    const match = matches.length > 1 ? `match=${game.match}&` : "";
    history.replaceState(null, "", `#${match}pair=${game.pair}&game=${game.game}&ply=${ply}`);
  };

  // Selects what the address names; true if it names a game.
  const follow = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!wanted.has("pair")) return false;
    const number = (name) => Number(wanted.get(name) ?? 1);
    const game = games.find((game) =>
      game.match === number("match") && game.pair === number("pair") && game.game === number("game"));
    if (!game) return false;
    show(game, wanted.has("ply") ? Math.trunc(number("ply")) || 0 : 0);
    return true;
  };

  const neighbour = (by) => {
    const shown = [...buttons.keys()];
    const next = shown[shown.indexOf(chosen) + by];
    if (next) show(next, 0);
  };

  // Above the replay the keys scroll the page. It is in view when it fills most of the window, when it
  // ends inside, as it does in a window that is taller than it, and when somebody is busy in it.
  const isInView = () => {
    const replay = element("replay");
    const { top, bottom } = replay.getBoundingClientRect();
    return top < innerHeight / 2 || bottom <= innerHeight || replay.contains(document.activeElement);
  };

  const actions = {
    start: () => show(chosen, 0),
    back: () => show(chosen, ply - 1),
    forward: () => show(chosen, ply + 1),
    end: () => show(chosen, chosen.to.length),
  };
  for (const [id, action] of Object.entries(actions)) {
    element(id).addEventListener("click", () => { stop(); action(); });
  }
  element("play").addEventListener("click", togglePlay);
  element("slider").addEventListener("input", (event) => { stop(); show(chosen, Number(event.target.value)); });
  element("filter").addEventListener("input", fillList);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target === element("filter")) return;
    // On the slider its own keys move through the game already, on what is pressed or opened the space.
    if (event.target === element("slider") && event.key !== " ") return;
    if (event.key === " " && event.target.closest("button, a, summary")) return;
    const keys = {
      ArrowLeft: actions.back, ArrowRight: actions.forward, Home: actions.start, End: actions.end,
      ArrowUp: () => neighbour(-1), ArrowDown: () => neighbour(1),
    };
    const action = event.key === " " ? togglePlay : keys[event.key];
    if (!action || !isInView()) return;
    event.preventDefault();
    if (action !== togglePlay) stop();
    action();
  });
  addEventListener("hashchange", () => { if (follow()) element("replay").scrollIntoView(); });

  element("replay").hidden = false;
  fillList();
  if (follow()) element("replay").scrollIntoView(); else draw();
})();
