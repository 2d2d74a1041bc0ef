// A board of cells: draws it, describes it in words, and accepts moves with mouse, touch and keys.
import { draw, make } from "./dom.js";

const RISE_MS = 1500;
const HOP_MS = 200;
const SHAKE_MS = 250;
// Cells smaller than this, in pixels, are hard to hit with a finger.
const FINGER = 40;
// A press that moves this far is a drag, in pixels.
const DRAG = 6;
// The length of an arrow's head, in cells.
const HEAD = .45;

// Spreads the hues evenly over the number of colors; light and dark alternate on large boards.
export const tint = (letter, colours) => {
  const index = letter.charCodeAt(0) - 65;
  return `hsl(${Math.round(index * 360 / colours + 8) % 360} 72% ${index % 2 ? 76 : 66}%)`;
};

// Returns the cell's own name, or its row and column in the game's notation.
export const cellName = (board, cell) => {
  if (board.names?.length) return board.names[cell];
  const [row, column] = [Math.floor(cell / board.columns), cell % board.columns];
  return board.columnFirst ? `${column},${row}` : `${row}\u00A0${column}`;
};

// Describes the board for people who cannot see it: a line for each row, or for the pieces of each role.
export const boardWords = (board, roles) => {
  const { cells, columns, pieces } = board;
  if (pieces) {
    return roles.map((role, side) => {
      const held = cells.flatMap((letter, cell) => letter === pieces[side] ? [cellName(board, cell)] : []);
      return `${role} is on ${held.join("; ") || "no square"}.`;
    });
  }
  return Array.from({ length: cells.length / columns }, (_, row) => {
    const tiles = cells.slice(row * columns, (row + 1) * columns)
      .flatMap((letter, column) => letter ? [`${letter} in column ${column}`] : []);
    return `Row ${row}: ${tiles.join(", ") || "empty"}.`;
  });
};

// Returns the marker of a side: its piece, or a disc in its color.
export const markerOf = (about, side) => make("span", {
  class: `marker side-${side}${about.pieces ? ` stone ${side === 0 ? "first" : ""}` : ""}`, "aria-hidden": "true",
});

// Creates a player's line: marker, name and role, and the elements for its standing and its clock.
export const seatOf = (about, side, name, role = about.roles[side]) => {
  const [standing, clock] = ["standing", "clock"].map((name) => make("span", { class: name }));
  const element = make("div", { class: "seat" }, markerOf(about, side), make("b", {}, name), make("span", { class: "role" }, role), standing, clock);
  return { element, standing, clock };
};

// Returns the letters on cells; a blank becomes an empty text.
export const cellsOf = (letters) => [...letters].map((letter) => letter === " " ? "" : letter);

// Returns the marks of a move: its first cell, the cells that it passed, and its last cell.
export const moveMarks = (from, to, path = []) => {
  const marks = path.map((cell) => [cell, "over"]);
  if (from !== null && from !== to) marks.push([from, "from"]);
  if (to !== null) marks.push([to, "to"]);
  return marks;
};

// Returns the chain of cells of a move that has one.
export const chainOf = (from, to, path = []) => from === null || to === null || from === to ? [] : [from, ...path, to];

// Returns the part at the beginning or at the end that all names share.
const sharedPart = (names) => {
  const [first] = names;
  const lengths = Array.from(first, (_, at) => first.length - at);
  const start = lengths.find((length) => names.every((name) => name.startsWith(first.slice(0, length))));
  const end = lengths.find((length) => names.every((name) => name.endsWith(first.slice(-length))));
  return start ? first.slice(0, start) : end ? first.slice(-end) : "";
};

// Returns the labels of the columns and of the rows: numbers, or the parts that the names of their cells share.
const labelsOf = (count, columns, names) => {
  const lines = [columns, Math.ceil(count / columns)].map((length) => Array.from({ length }, (_, at) => String(at)));
  if (!names?.length) return lines;
  const isIn = [(cell, at) => cell % columns === at, (cell, at) => Math.floor(cell / columns) === at];
  const named = lines.map((line, which) => line.map((_, at) => sharedPart(names.filter((_, cell) => isIn[which](cell, at)))));
  return named.flat().every(Boolean) ? named : lines.map((line) => line.map(() => ""));
};

// Returns the points of an arrow along a line of points: a shaft, and a head with two more corners.
const arrowOf = (points) => {
  const [[fromX, fromY], [x, y]] = points.slice(-2);
  const length = Math.hypot(x - fromX, y - fromY);
  const [dx, dy] = [(x - fromX) / length * HEAD, (y - fromY) / length * HEAD];
  const head = [[x, y], [x - dx - dy / 2, y - dy + dx / 2], [x - dx + dy / 2, y - dy - dx / 2]];
  return [draw("polyline", { points: [...points.slice(0, -1), [x - dx / 2, y - dy / 2]].join(" ") }), draw("polygon", { points: head.join(" ") })];
};

// A board is { cells, columns, names, columnFirst, pieces, areas, marks, chain, best, ghost, isFlipped }: `cells` has a
// letter or an empty text per cell, `areas` a letter per cell, `marks` pairs of a cell and its mark, and `chain` the cells
// that a line joins. `best` are suggested moves, each with its `cells` and its `rank`, drawn as arrows or, on their only
// cell, as the tile `ghost`. A flipped board shows the last cell first.
export class Board {
  // `press(cell, near)` is called when a cell is clicked, tapped or chosen with keys; `near` are the cells that a finger may
  // have meant. `lift(cell)` is called at the beginning of a drag and returns true if the cell's piece or tile can move,
  // `drag(from, to)` after a drag, and `look(cell)` for the cell under the pointer or the focus, or null. A board without
  // `press` is read-only.
  constructor(element, { press, lift, drag, look, label } = {}) {
    this.element = element;
    this.isPlayed = Boolean(press);
    this.nodes = [];
    this.focus = 0;
    element.classList.add("board");
    if (!this.isPlayed) {
      element.setAttribute("aria-hidden", "true");
      return;
    }
    element.setAttribute("role", "grid");
    element.setAttribute("aria-label", label ?? "Board");
    const cellAt = (target) => this.nodes.indexOf(target.closest?.(".cell"));
    element.addEventListener("click", (event) => {
      const cell = cellAt(event.target);
      if (cell >= 0 && !this.dragged) press(cell, this.near(cell, event));
      this.dragged = false;
    });
    element.addEventListener("keydown", (event) => this.key(event, press));
    for (const [name, sees] of [["pointerover", true], ["focusin", true], ["pointerleave", false], ["focusout", false]]) {
      element.addEventListener(name, (event) => {
        const cell = sees ? cellAt(event.target) : -1;
        look?.(cell < 0 ? null : cell);
      });
    }
    element.addEventListener("focusin", (event) => this.rove(cellAt(event.target)));
    this.dragging(cellAt, { lift, drag, look });
  }

  draw(board, said = () => "") {
    this.board = board;
    const { cells, columns, pieces, names, best = [], ghost, isFlipped = false } = board;
    const shape = JSON.stringify([cells.length, columns, names, isFlipped]);
    if (this.shape !== shape) this.build(cells.length, columns, names, isFlipped);
    this.shape = shape;
    this.element.classList.toggle("pieces", Boolean(pieces));
    const marks = new Map();
    for (const [cell, mark] of board.marks ?? []) marks.set(cell, [...marks.get(cell) ?? [], mark]);
    cells.forEach((letter, cell) => {
      const node = this.nodes[cell];
      const area = board.areas?.[cell] ?? " ";
      const classes = ["cell", ...marks.get(cell) ?? []];
      if (area !== " ") classes.push("camp");
      // A mark such as a dot is no tile.
      const isTile = /[\p{L}\p{N}]/u.test(letter);
      if (pieces && letter) classes.push("piece", letter === pieces[0] ? "first" : "second");
      else if (!isTile) classes.push("bare");
      node.className = classes.join(" ");
      delete node.dataset.best;
      node.textContent = pieces ? "" : letter;
      node.style.background = isTile && !pieces ? tint(letter, columns) : "";
      const name = cellName(board, cell);
      if (pieces || board.names?.length) node.title = name;
      if (this.isPlayed) {
        const state = said(cell);
        node.setAttribute("aria-label", [name, letter || "empty", state].filter(Boolean).join(", "));
      }
    });
    const middle = (cell) => {
      const shown = isFlipped ? cells.length - 1 - cell : cell;
      return [shown % columns + .5, Math.floor(shown / columns) + .5];
    };
    for (const { cells: passed, rank } of [...best].reverse()) {
      const node = this.nodes[passed.at(-1)];
      node.dataset.best = rank + 1;
      if (passed.length > 1 || !ghost) continue;
      node.textContent = ghost;
      node.classList.add("ghost");
    }
    // The best arrow is drawn over the others.
    this.arrows.replaceChildren(...[...best].reverse().filter(({ cells }) => cells.length > 1).map(({ cells, rank }) =>
      draw("g", { class: `rank-${rank + 1}` }, arrowOf(cells.map(middle)))));
    this.chain.firstChild.setAttribute("points", (board.chain ?? []).map(middle).join(" "));
  }

  // Lets the piece or tile at the end of a chain of cells move there along the chain.
  slide(chain) {
    // A dragged piece is already there.
    if (chain.length < 2 || chain.at(-1) === this.dropped || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const node = this.nodes[chain.at(-1)];
    const end = node.getBoundingClientRect();
    const frames = chain.map((cell) => {
      const { left, top } = this.nodes[cell].getBoundingClientRect();
      return { translate: `${left - end.left}px ${top - end.top}px`, zIndex: 3 };
    });
    const duration = HOP_MS * (chain.length - 1);
    node.animate(frames, { duration, easing: "ease-in-out", ...this.board.pieces ? { pseudoElement: "::before" } : {} });
  }

  // Shows that a press on a cell does nothing.
  shake(cell) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const translate = ["0", "-3px 0", "3px 0", "-2px 0", "0"];
    this.nodes[cell].animate({ translate }, { duration: SHAKE_MS });
  }

  // Returns the cells around a tap, the nearest first, if the cells are too small for a finger.
  near(cell, { clientX, clientY, pointerType }) {
    const size = this.nodes[cell].offsetWidth;
    if (pointerType !== "touch" || size >= FINGER) return [];
    const away = this.nodes.map((node, at) => {
      const { left, top } = node.getBoundingClientRect();
      return { at, distance: Math.hypot(left + size / 2 - clientX, top + size / 2 - clientY) };
    });
    return away.filter(({ distance }) => distance < size).sort((a, b) => a.distance - b.distance).map(({ at }) => at);
  }

  // Lets a text rise from a cell.
  rise(cell, text) {
    const node = make("span", { class: "rise", "data-text": text });
    this.nodes[cell]?.append(node);
    setTimeout(() => node.remove(), RISE_MS);
  }

  build(count, columns, names, isFlipped) {
    this.columns = columns;
    this.focus = Math.min(this.focus, count - 1);
    this.element.style.setProperty("--columns", columns);
    // The names of the axes, unless the cells have names of their own.
    const order = this.board.columnFirst ? "column, row" : "row column";
    Object.assign(this.element.dataset, names?.length ? {} : { across: "column", down: "row", order: `Cells are written "${order}".` });
    const label = (text, role) =>
      make("div", { class: "label", role: this.isPlayed ? role : null }, text);
    const rowOf = (children) =>
      make("div", { class: "row", role: this.isPlayed ? "row" : null }, children);
    const inOrder = (list) => isFlipped ? list.reverse() : list;
    const [across, down] = labelsOf(count, columns, names);
    this.nodes = Array.from({ length: count }, (_, cell) =>
      make("div", this.isPlayed ? { role: "gridcell", tabindex: cell === this.focus ? 0 : -1 } : {}));
    const box = `0 0 ${columns} ${down.length}`;
    this.chain = draw("svg", { class: "chain", viewBox: box, preserveAspectRatio: "none", "aria-hidden": "true" }, draw("polyline"));
    this.arrows = draw("g", { class: "arrows" });
    this.chain.append(this.arrows);
    const head = rowOf([label("", "presentation"), inOrder(across.map((text) => label(text, "columnheader"))), this.chain]);
    this.element.replaceChildren(head, ...inOrder(down.map((text, row) =>
      rowOf([label(text, "rowheader"), inOrder(this.nodes.slice(row * columns, (row + 1) * columns))]))));
  }

  // Tab reaches one cell at a time: the cell that last had the focus.
  rove(cell) {
    if (cell < 0 || !this.nodes[cell]) return;
    this.nodes[this.focus]?.setAttribute("tabindex", -1);
    this.nodes[cell].setAttribute("tabindex", 0);
    this.focus = cell;
  }

  key(event, press) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { columns, focus } = this;
    const start = focus - focus % columns;
    const end = Math.min(start + columns, this.nodes.length) - 1;
    const [back, on] = this.board.isFlipped ? ["Right", "Left"] : ["Left", "Right"];
    const [up, down, home, last] = this.board.isFlipped ? ["Down", "Up", "End", "Home"] : ["Up", "Down", "Home", "End"];
    const next = {
      [`Arrow${back}`]: Math.max(start, focus - 1), [`Arrow${on}`]: Math.min(end, focus + 1),
      [`Arrow${up}`]: focus - columns, [`Arrow${down}`]: focus + columns, [home]: start, [last]: end,
    }[event.key];
    if (event.key === "Enter" || event.key === " ") press(focus);
    else if (event.key === "Escape") press(null);
    else if (next === undefined) return;
    else this.nodes[next]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  // A press on one cell and a release on another cell are a drag. Meanwhile, the piece or tile follows the pointer.
  dragging(cellAt, { lift, drag, look }) {
    const { element } = this;
    const under = (event) => cellAt(document.elementFromPoint(event.clientX, event.clientY) ?? element);
    let [start, from, held] = [-1, null, null];
    const release = () => {
      held?.remove();
      [start, from, held] = [-1, null, null];
    };
    element.addEventListener("pointerdown", (event) => {
      release();
      start = event.button === 0 ? cellAt(event.target) : -1;
      from = event;
      this.dragged = false;
      this.dropped = null;
      // The first cell captures touches, but the last cell matters.
      event.target.releasePointerCapture?.(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => {
      if (start < 0) return;
      if (from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) >= DRAG) {
        from = null;
        if (lift?.(start)) held = this.hold(start);
        if (held) element.setPointerCapture(event.pointerId);
      }
      if (!held) return;
      const { left, top } = element.getBoundingClientRect();
      held.style.translate = `calc(${event.clientX - left}px - 50%) calc(${event.clientY - top}px - 50%)`;
      look?.(under(event));
    });
    element.addEventListener("pointerup", (event) => {
      const end = under(event);
      if (start >= 0 && end >= 0 && end !== start) {
        this.dragged = true;
        this.dropped = held && end;
        drag?.(start, end);
        // The click that may follow belongs to the drag.
        setTimeout(() => { this.dragged = false; });
      }
      release();
    });
    element.addEventListener("pointercancel", release);
  }

  // Returns a copy of a cell's piece or tile that follows the pointer, or null if nothing may move.
  hold(cell) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return null;
    const node = this.nodes[cell];
    const { textContent, classList, style: { background } } = node;
    const held = make("div", { class: ["cell", "held", ...["piece", "first", "second"].filter((name) => classList.contains(name))].join(" "), "aria-hidden": "true" }, textContent);
    Object.assign(held.style, { background, width: `${node.offsetWidth}px` });
    this.element.append(held);
    return held;
  }
}
