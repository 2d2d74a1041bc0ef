// A position set up by hand: people put pieces on a board, and the position's text follows.
import { Board, cellsOf } from "./board.js";
import { make } from "./dom.js";

// The lines of the text that are not rows of the board, such as the player to move.
const isNoRow = (line) => line.includes(":");

export class Placing {
  // `area` holds the position as text.
  constructor(about, area) {
    Object.assign(this, { about, area, cells: [], chosen: null });
    const element = make("div");
    this.board = new Board(element, { press: (cell) => this.press(cell), label: "Board to place pieces on" });
    this.choices = make("fieldset", { class: "palette" });
    this.box = make("details", { id: "placing" }, make("summary", {}, "Place pieces by hand"),
      make("p", { class: "muted" }, "Choose a piece, then the cells that it stands on; a cell that has it already is emptied. The text below follows: set it up when the board is as you want it."),
      this.choices, make("div", { class: "board-box" }, element));
  }

  // Begins with this board, if it allows placing pieces.
  show(grid) {
    this.box.hidden = !grid?.palette;
    if (this.box.hidden) return;
    this.grid = grid;
    this.cells = cellsOf(grid.letters);
    const letters = [...grid.palette, ""];
    if (!letters.includes(this.chosen)) this.chosen = letters[0];
    this.choices.replaceChildren(make("legend", {}, "Piece"), ...letters.map((letter) => {
      const radio = make("input", { type: "radio", name: "piece", value: letter, change: () => { this.chosen = letter; } });
      radio.checked = letter === this.chosen;
      return make("label", {}, radio, ` ${this.nameOf(letter)}`);
    }));
    this.draw();
  }

  nameOf(letter) {
    const side = this.about.pieces?.indexOf(letter) ?? -1;
    return letter === "" ? "nothing" : side < 0 ? letter : `${this.about.roles[side]} (${letter})`;
  }

  draw() {
    const { pieces, column_first: columnFirst } = this.about;
    const { columns, names, areas } = this.grid;
    this.board.draw({ cells: this.cells, columns, names, areas, pieces, columnFirst });
  }

  press(cell) {
    if (cell === null) return;
    this.cells[cell] = this.cells[cell] === this.chosen ? "" : this.chosen;
    this.draw();
    const { columns } = this.grid;
    const rows = Array.from({ length: this.cells.length / columns }, (_, row) =>
      this.cells.slice(row * columns, (row + 1) * columns).map((letter) => letter || ".").join(" "));
    const others = this.area.value.split("\n").filter(isNoRow);
    this.area.value = `${[...rows, ...others].join("\n")}\n`;
  }
}
