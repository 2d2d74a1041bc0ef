"use strict";
// Steps through the games. The data element holds what src/report/page.rs writes. What comes from
// a log is only ever set as text.
(() => {
  const matches = JSON.parse(document.getElementById("data").textContent);
  const games = matches.flatMap((match, at) =>
    match.games.map((game) => ({ ...game, match: at + 1, size: match.size })));
  if (games.length === 0) return;

  const element = (id) => document.getElementById(id);
  const NAMESPACE = "http://www.w3.org/2000/svg";
  const STEP_MS = 700;
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
    const cells = new Array(game.size * game.size).fill("");
    for (let at = 0; at < plies; at++) {
      const [from, to] = [game.from[at], game.to[at]];
      if (to === null) continue;
      if (from === null) cells[to] = game.tiles[at];
      else if (from !== to) { cells[to] = cells[from]; cells[from] = ""; }
    }
    return cells;
  };

  // Hues as far apart as the number of colours allows; light and dark in turn for large boards.
  const tint = (letter, colours) => {
    const index = letter.charCodeAt(0) - 65;
    return `hsl(${Math.round(index * 360 / colours + 8) % 360} 72% ${index % 2 ? 76 : 66}%)`;
  };

  const cellName = (game, cell) => `${Math.floor(cell / game.size)}\u00A0${cell % game.size}`;
  const isOrder = (game, at) => game.tiles[at] === "";

  const moveText = (game, at) => {
    const [from, to] = [game.from[at], game.to[at]];
    const who = isOrder(game, at) ? `${game.order} (Order)` : `${game.chaos} (Chaos)`;
    const opening = at < game.opening ? ", random opening" : "";
    if (to === null) return `${who} passes${opening}`;
    if (from === null) return `${who} places ${game.tiles[at]} on ${cellName(game, to)}${opening}`;
    return `${who} slides ${cellName(game, from)} to ${cellName(game, to)}${opening}`;
  };

  const milliseconds = (value) => value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value < 10 ? 2 : 0)} ms`;
  const value = (list, at) => (at >= 0 && list.length ? list[at] : null);
  // The last value of a player up to a ply.
  const latest = (game, list, order, plies) => {
    for (let at = plies - 1; at >= 0; at--) {
      if (isOrder(game, at) === order && value(list, at) !== null) return list[at];
    }
    return null;
  };

  const drawBoard = () => {
    const board = element("board");
    const size = chosen.size;
    const cells = boardAfter(chosen, ply);
    const [from, to] = ply > 0 ? [chosen.from[ply - 1], chosen.to[ply - 1]] : [null, null];
    const over = new Set();
    if (from !== null && to !== null && from !== to) {
      const step = Math.sign(to - from) * (Math.floor(from / size) === Math.floor(to / size) ? 1 : size);
      if ((to - from) % step === 0) for (let cell = from + step; cell !== to; cell += step) over.add(cell);
    }
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
      const node = make("div", { class: marks.join(" ") }, letter);
      if (letter) node.style.background = tint(letter, size);
      nodes.push(node);
    });
    board.setAttribute("aria-label", `Board after ply ${ply}`);
    board.replaceChildren(...nodes);
  };

  const drawDetails = () => {
    const at = ply - 1;
    const rows = [["ply", `${ply} of ${chosen.to.length}`]];
    rows.push(["points on the board", ply ? String(chosen.points[at]) : "0"]);
    const add = (name, figure, show) => { if (figure !== null) rows.push([name, show(figure)]); };
    add("expected final score", value(chosen.expected, at), (x) => x.toFixed(1));
    const used = value(chosen.used, at);
    add("time used", used, milliseconds);
    add("meant for the move", value(chosen.soft, at), milliseconds);
    add("allowed at most", value(chosen.hard, at), milliseconds);
    add("CPU time", value(chosen.cpu, at), milliseconds);
    add("depth", value(chosen.depth, at), String);
    add("nodes", value(chosen.nodes, at), (x) => Math.round(x).toLocaleString("en"));
    for (const [name, order] of [["Order's clock before its move", true], ["Chaos's clock before its move", false]]) {
      add(name, latest(chosen, chosen.clock, order, ply), (x) => `${x.toFixed(2)} s`);
    }
    if (ply === chosen.to.length) rows.push(["final score", String(chosen.score)]);
    element("details").replaceChildren(...rows.map(([name, text]) => {
      const row = make("tr", {});
      row.append(make("td", {}, name), make("td", {}, text));
      return row;
    }));
  };

  // The score on the board and what both players expected, ply by ply.
  const drawCourse = () => {
    const [width, height, left, bottom] = [320, 130, 26, 18];
    const plies = chosen.to.length;
    const expected = chosen.expected.filter((x) => x !== null);
    const top = Math.max(4, chosen.score, ...chosen.points, ...expected) * 1.05;
    const low = Math.min(0, ...expected);
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
    line([[0, 0], ...chosen.points.map((score, at) => [at + 1, score])], "#8a94a0", "none");
    const seen = (order) => chosen.expected.map((score, at) => [at + 1, score])
      .filter(([at, score]) => score !== null && isOrder(chosen, at - 1) === order);
    line(seen(true), "#3b82f6", "none");
    line(seen(false), "#ea6c20", "none");
    draw("line", { x1: x(ply), x2: x(ply), y1: 14, y2: height - bottom, stroke: "currentColor", "stroke-width": 1.2 });
    [["on the board", "#8a94a0"], ["Order expects", "#3b82f6"], ["Chaos expects", "#ea6c20"]]
      .slice(0, expected.length ? 3 : 1)
      .forEach(([name, colour], at) => {
        draw("rect", { x: left + at * 98, y: height - 11, width: 9, height: 7, fill: colour });
        draw("text", { x: left + 13 + at * 98, y: height - 4 }, name);
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

  const buttons = new Map();
  const fillList = () => {
    const words = element("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    buttons.clear();
    for (const game of games) {
      const about = `pair ${game.pair} game ${game.game} ${game.order} ${game.chaos}${game.fault ? " fault" : ""}`;
      const text = about.toLowerCase();
      // "pair 3" is not pair 30.
      const tokens = text.split(/\s+/);
      if (!words.every((word) => /^\d+$/.test(word) ? tokens.includes(word) : text.includes(word))) continue;
      const button = make("button", { role: "option", "aria-selected": game === chosen });
      button.append(make("span", { class: game.fault ? "score at-fault" : "score" }, game.score));
      const match = matches.length > 1 ? `Match ${game.match}, pair` : "Pair";
      button.append(make("span", {}, `${match} ${game.pair}, game ${game.game}`));
      const sub = make("div", { class: "sub" }, `${game.order} – ${game.chaos}`);
      if (game.fault) sub.append(make("span", { class: "at-fault" }, " · fault"));
      button.append(sub);
      button.addEventListener("click", () => show(game, 0));
      buttons.set(game, button);
    }
    const nothing = make("p", { class: "muted hint" }, "No game fits.");
    element("list").replaceChildren(...(buttons.size ? buttons.values() : [nothing]));
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
    element("players").textContent = `${chosen.order} is Order, ${chosen.chaos} is Chaos`;
    element("move").textContent = ply ? moveText(chosen, ply - 1) : "The empty board";
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
    const keys = {
      ArrowLeft: actions.back, ArrowRight: actions.forward, Home: actions.start, End: actions.end,
      ArrowUp: () => neighbour(-1), ArrowDown: () => neighbour(1),
    };
    if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); togglePlay(); return; }
    const action = keys[event.key];
    // Above the replay these keys scroll the page.
    const inView = element("replay").getBoundingClientRect().top < innerHeight / 2;
    if (!action || !inView) return;
    event.preventDefault();
    stop();
    action();
  });
  addEventListener("hashchange", () => { if (follow()) element("replay").scrollIntoView(); });

  element("replay").hidden = false;
  fillList();
  if (follow()) element("replay").scrollIntoView(); else draw();
})();
