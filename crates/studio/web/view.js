// Draws a player's view: a board, rows of cards, facts, choices. It knows no game: the choices determine the active
// elements.
import { button, make } from "./dom.js";
import { Board, cellName, cellsOf, moveMarks } from "./board.js";

// Returns the changes between two boards of a game, as marks.
const changes = (before, after) => {
  if (!before || before.letters.length !== after.letters.length) return [];
  const [old, now] = [cellsOf(before.letters), cellsOf(after.letters)];
  const changed = now.flatMap((letter, cell) => letter === old[cell] ? [] : [[cell, letter ? "to" : "from"]]);
  // A completely new board is no move.
  return changed.length <= 4 ? changed : [];
};

export class ViewBox {
  // `about` describes the game; `play(notation)` makes a move. Without `play`, the view is read-only.
  constructor(about, play) {
    this.about = about;
    this.play = play;
    this.view = null;
    this.picked = null;
    this.looked = null;
    this.runs = [];
    this.caption = make("p", { class: "caption" });
    const element = make("div", {});
    this.boardBox = make("div", { class: "board-box" }, element);
    this.board = new Board(element, play ? {
      press: (cell) => this.press(cell),
      drag: (from, to) => this.drag(from, to),
      look: (cell) => this.look(cell),
      label: `Board of ${about.title}`,
    } : {});
    this.scoring = make("div", { class: "scoring" });
    this.panels = make("div", { class: "panels" });
    this.facts = make("dl", { class: "known" });
    this.choices = make("div", { class: "choices" });
    // The board and the cards, and the text beside them.
    this.stage = make("div", { class: "stage" }, this.boardBox, this.scoring, this.panels);
    this.side = make("div", { class: "beside" }, this.caption, this.choices, this.facts);
  }

  // Draws a view and marks its changes from another view, by default the last one, and the path of the move between
  // them.
  draw(view, before = this.view, path = []) {
    this.marks = view.grid ? [...changes(before?.grid, view.grid), ...path.map((cell) => [cell, "over"])] : [];
    this.view = view;
    this.picked = null;
    this.runs = [];
    this.caption.textContent = view.caption;
    this.boardBox.hidden = !view.grid;
    this.drawBoard();
    this.drawScoring();
    this.panels.replaceChildren(...view.panels.map((panel, at) => this.panel(panel, at)));
    this.facts.replaceChildren(...view.facts.map(({ name, value }) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, value))));
    this.drawChoices();
  }

  // Marks further cells until the next drawing.
  mark(marks) {
    this.marks.push(...marks);
    this.drawBoard();
  }

  fitting(test) {
    return this.play ? this.view.choices.filter(test) : [];
  }

  drawBoard() {
    const { grid } = this.view;
    if (!grid) return;
    const { pieces, column_first: columnFirst } = this.about;
    const targets = this.fitting((choice) => choice.from === this.picked && choice.to !== null);
    const sources = new Set(this.fitting((choice) => choice.from !== null).map((choice) => choice.from));
    const takes = new Set(targets.map((choice) => choice.to));
    const marks = [...this.marks, ...this.runs.map((cell) => [cell, "run"])];
    for (const cell of takes) marks.push([cell, "can-take"]);
    for (const cell of sources) marks.push([cell, "can-leave"]);
    if (this.picked !== null) marks.push([this.picked, "picked"]);
    const seen = targets.find((choice) => choice.to === this.looked);
    if (seen && this.picked !== null) marks.push(...moveMarks(seen.from, seen.to, seen.path));
    const said = (cell) => {
      if (cell === this.picked) return "picked up";
      if (takes.has(cell)) return this.picked === null ? "free to play on" : "can be moved to";
      return sources.has(cell) ? "can be picked up" : "";
    };
    const { columns, letters, names, areas } = grid;
    this.board.draw({ cells: cellsOf(letters), columns, names, columnFirst, pieces, areas, marks }, said);
  }

  press(cell) {
    const fit = this.fitting((choice) => choice.from === this.picked && choice.to === cell && cell !== null);
    if (fit.length === 1) return this.play(fit[0].notation);
    if (fit.length > 1) return this.drawChoices(fit);
    const canLeave = cell !== this.picked && this.fitting((choice) => choice.from === cell && cell !== null).length > 0;
    this.picked = canLeave ? cell : null;
    this.drawBoard();
  }

  drag(from, to) {
    this.picked = this.fitting((choice) => choice.from === from).length > 0 ? from : null;
    if (this.picked !== null) this.press(to);
  }

  look(cell) {
    if (this.looked === cell || this.picked === null) return;
    this.looked = cell;
    this.drawBoard();
  }

  drawScoring() {
    const runs = this.view.grid?.scoring ?? [];
    const letters = cellsOf(this.view.grid?.letters ?? "");
    const see = (cells) => () => { this.runs = cells; this.drawBoard(); };
    const chips = runs.map(({ cells, points }) => {
      const text = `${cells.map((cell) => letters[cell]).join("")} ${points}`;
      const place = `${cellName(this.placed(), cells[0])} to ${cellName(this.placed(), cells.at(-1))}`;
      return button(text, see(cells), {
        class: "chip", title: place, "aria-label": `${text} points, from ${place}`,
        mouseenter: see(cells), mouseleave: see([]), focus: see(cells), blur: see([]),
      });
    });
    const title = make("summary", {}, `What scores now: ${runs.reduce((sum, run) => sum + run.points, 0)}`);
    const isOpen = this.scoring.querySelector("details")?.open ?? false;
    this.scoring.replaceChildren(...chips.length ? [make("details", { open: isOpen }, title, chips)] : []);
  }

  placed() {
    return { names: this.view.grid.names, columns: this.view.grid.columns, columnFirst: this.about.column_first };
  }

  panel({ title, cards }, at) {
    return make("section", { class: "panel", "aria-label": title }, make("h2", {}, title),
      make("div", { class: "cards" }, cards.length ? cards.map((card, which) => this.card(card, at, which)) : "none"));
  }

  card({ name, lines, state }, panel, which) {
    const choice = this.fitting(({ card }) => card && card[0] === panel && card[1] === which)[0];
    const badge = { first: this.about.roles[0], second: this.about.roles[1], down: "down" }[state];
    const content = [
      make("span", { class: "name" }, name), lines.map((line) => make("span", { class: "line" }, line)),
      badge ? make("span", { class: "badge" }, badge) : null,
    ];
    if (!choice) return make("div", { class: `card ${state}` }, content);
    const words = make("span", { class: "unseen" }, `${choice.words}: `);
    return button([words, ...content], () => this.play(choice.notation), { class: `card ${state}` });
  }

  // Shows the choices without a cell or card as buttons; `only` are the choices in question.
  drawChoices(only) {
    const choices = this.fitting(() => true);
    if (!choices.length) return this.choices.replaceChildren();
    const buttons = (listed) => make("div", { class: "moves" },
      listed.map((choice) => button(choice.words, () => this.play(choice.notation))));
    const others = only ?? choices.filter((choice) => choice.to === null && !choice.card);
    const groups = new Map();
    for (const choice of others) groups.set(choice.group, [...groups.get(choice.group) ?? [], choice]);
    const parts = [...groups].map(([group, listed]) => group === null ? buttons(listed)
      : make("section", { class: "group" }, make("h2", {}, group), buttons(listed)));
    if (others.length < choices.length) parts.push(this.asList(choices, buttons));
    this.choices.replaceChildren(...parts, this.typed());
  }

  // Shows all moves as a list, which is created when it is opened.
  asList(choices, buttons) {
    const details = make("details", {
      toggle: () => { if (details.open && !details.querySelector(".moves")) details.append(buttons(choices)); },
    }, make("summary", {}, `All ${choices.length} moves as a list`));
    return details;
  }

  typed() {
    const input = make("input", { type: "text", "aria-label": "A move in the game's notation", autocomplete: "off", class: "short" });
    const submit = (event) => {
      event.preventDefault();
      if (input.value.trim()) this.play(input.value.trim());
    };
    const form = make("form", { class: "typed", submit }, input, make("button", { type: "submit" }, "Play"));
    return make("details", {}, make("summary", {}, "Type a move"), form);
  }
}
