// Draws a player's view: a board, tiles, cards, facts, choices. It knows no game: the choices determine the active
// elements.
import { button, make } from "./dom.js";
import { Board, cellName, cellsOf, chainOf, moveMarks, tint } from "./board.js";
import { cardParts, isFace, swatch } from "./cards.js";

// The depth of the arc in which players sit, in pixels, and the maximum number of players in an arc.
const ARC = 56;
const MOST_COLUMNS = 5;
const TURN_MS = 200;
// The maximum number of suggested moves on a board.
const MOST_BEST = 3;

// Returns the changes between two boards of a game, as marks.
const changes = (before, after) => {
  if (!before || before.letters.length !== after.letters.length) return [];
  const [old, now] = [cellsOf(before.letters), cellsOf(after.letters)];
  const changed = now.flatMap((letter, cell) => letter === old[cell] ? [] : [[cell, letter ? "to" : "from"]]);
  // A completely new board is no move.
  return changed.length <= 4 ? changed : [];
};

const FLIPPED = "turnwise.flipped";

// Returns true if the person has flipped this game's boards in this visit.
const isTurned = (game) => {
  try {
    return sessionStorage.getItem(`${FLIPPED}.${game}`) === "yes";
  } catch {
    return false;
  }
};

const keyOf = ({ cells }) => cells.join(" ");

export class ViewBox {
  // `about` describes the game; `play(notation)` makes a move. Without `play`, the view is read-only. `advise(show)`
  // asks for a suggestion and calls `show(notation)` with it.
  constructor(about, play, advise) {
    Object.assign(this, { about, play, advise, view: null, picked: null, looked: null, runs: [], best: [], shown: null });
    this.caption = make("p", { class: "caption" });
    const element = make("div");
    this.boardBox = make("div", { class: "board-box" }, element);
    this.board = new Board(element, play ? {
      press: (cell, near) => this.press(cell, near),
      lift: (cell) => this.lift(cell),
      drag: (from, to) => this.lift(from) && this.press(to),
      look: (cell) => this.look(cell),
      label: `Board of ${about.title}`,
    } : {});
    this.scoring = make("div", { class: "scoring" });
    this.news = make("p", { class: "news" });
    this.panels = make("div", { class: "panels" });
    this.stock = make("div", { class: "stock" });
    this.facts = make("dl", { class: "known" });
    this.choices = make("div", { class: "choices" });
    this.further = make("div", { class: "further" });
    this.asking = make("div", { class: "asking", role: "group", "aria-label": "Are you sure?" });
    // The board and the cards, and the text beside them.
    this.stage = make("div", { class: "stage", keydown: ({ key }) => key === "Escape" && this.cancel() }, this.boardBox, this.news, this.panels, this.asking);
    this.side = make("div", { class: "beside" }, this.caption, this.stock, this.choices, this.scoring, this.further, this.facts);
  }

  // Draws a view and marks its changes from another view, by default the last one. `move` is the move between them, if
  // it is known: { from, to, path }.
  draw(view, before = this.view, move = null) {
    const isMarked = view.grid && Number.isInteger(move?.to);
    this.marks = isMarked ? moveMarks(move.from, move.to, move.path) : view.grid ? changes(before?.grid, view.grid) : [];
    this.chain = isMarked ? chainOf(move.from, move.to, move.path) : [];
    this.view = view;
    this.picked = null;
    this.runs = [];
    this.best = [];
    this.caption.textContent = view.caption;
    this.boardBox.hidden = !view.grid;
    this.drawBoard();
    this.drawScoring();
    this.drawStock();
    this.news.hidden = !view.news;
    this.news.textContent = view.news ?? "";
    this.drawPanels();
    this.asking.replaceChildren();
    this.facts.replaceChildren(...view.facts.map(({ name, value }) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, value))));
    this.drawChoices();
    if (!isMarked || !before?.grid || before.grid.letters === view.grid.letters) return;
    this.board.slide(this.chain);
    this.raise(before.grid, view.grid);
  }

  // Lets the points of new scoring groups rise where they are made.
  raise(before, after) {
    const old = new Set((before.scoring ?? []).map(keyOf));
    const earned = (after.scoring ?? []).filter((run) => !old.has(keyOf(run)));
    const sums = new Map();
    for (const { cells, points } of earned) {
      const middle = cells[Math.floor(cells.length / 2)];
      sums.set(middle, (sums.get(middle) ?? 0) + points);
    }
    for (const [cell, points] of sums) this.board.rise(cell, `+${points}`);
  }

  // Shows the board from the other side until the end of the visit, or until the next flip.
  flip() {
    const { name } = this.about;
    try {
      sessionStorage.setItem(`${FLIPPED}.${name}`, isTurned(name) ? "no" : "yes");
    } catch {
      // Without storage, the board cannot be flipped.
    }
    this.drawBoard();
  }

  // Returns true if the board shows its last cell first: the person's own area is at the bottom unless the board is flipped.
  get isFlipped() {
    const { pieces, name } = this.about;
    const own = pieces && this.viewer !== undefined ? cellsOf(this.view.grid.areas).flatMap((area, cell) => area === pieces[this.viewer] ? [cell] : []) : [];
    const isAbove = own.length > 0 && own.reduce((sum, cell) => sum + cell, 0) / own.length < this.view.grid.areas.length / 2;
    return isAbove !== isTurned(name);
  }

  // Shows the best moves, given by their notation, until the next drawing.
  suggest(moves) {
    const chosen = moves.slice(0, MOST_BEST).map((move) => this.view.choices.find(({ notation }) => notation === move));
    for (const node of this.cards.values()) delete node.dataset.best;
    chosen.forEach((choice, rank) => {
      const node = choice?.card && this.cards.get(String(choice.card));
      if (node) node.dataset.best = rank + 1;
    });
    this.best = chosen.flatMap((choice, rank) => Number.isInteger(choice?.to)
      ? [{ cells: choice.from === null || choice.from === choice.to ? [choice.to] : [choice.from, ...choice.path, choice.to], rank }] : []);
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
    const seen = this.picked !== null && targets.find((choice) => choice.to === this.looked);
    if (seen) marks.push(...moveMarks(seen.from, seen.to, seen.path));
    const chain = seen ? chainOf(seen.from, seen.to, seen.path) : this.picked === null ? this.chain : [];
    const said = (cell) => {
      if (cell === this.picked) return "picked up";
      if (takes.has(cell)) return this.picked === null ? "free to play on" : "can be moved to";
      return sources.has(cell) ? "can be picked up" : "";
    };
    const { columns, letters, names, areas } = grid;
    this.board.draw({ cells: cellsOf(letters), columns, names, columnFirst, pieces, areas, marks, chain, best: this.best, ghost: this.view.hand, isFlipped: this.isFlipped }, said);
  }

  // Plays or picks up what a press on a cell means. Of the cells `near` a tap, the first with a meaning counts.
  press(pressed, near = []) {
    const taken = (cell) => this.fitting((choice) => choice.from === this.picked && choice.to === cell && cell !== null);
    const canLeave = (cell) => cell !== this.picked && this.fitting((choice) => choice.from === cell && cell !== null).length > 0;
    const cell = near.find((one) => taken(one).length > 0 || canLeave(one)) ?? pressed;
    const fit = taken(cell);
    if (this.caption.querySelector(".refusal")) this.caption.textContent = this.view.caption;
    this.boardBox.classList.remove("shown");
    if (fit.length === 1) return this.play(fit[0].notation);
    if (fit.length > 1) return this.drawChoices(fit);
    const refusal = cell === null || cell === this.picked || canLeave(cell) ? null : this.refusal(cell);
    if (!refusal) this.picked = canLeave(cell) ? cell : null;
    this.drawBoard();
    if (!refusal) return;
    this.board.shake(cell);
    this.boardBox.classList.toggle("shown", this.picked === null);
    this.caption.replaceChildren(make("span", { class: "refusal", role: "alert" }, refusal), ` ${this.view.caption}`);
  }

  // Says why a press on a cell does nothing, if the person is to move on the board.
  refusal(cell) {
    const moves = this.fitting((choice) => choice.to !== null);
    if (!moves.length) return null;
    const isFree = cellsOf(this.view.grid.letters)[cell] === "";
    if (this.picked !== null) return "It cannot go there; dots mark where it can go.";
    if (moves.every((choice) => choice.from === null)) return "That cell is not free.";
    return isFree ? "First choose one of the outlined pieces." : "This piece cannot move; the outlined ones can.";
  }

  // Picks up a cell's piece or tile for a drag, and returns true if it can move.
  lift(cell) {
    this.picked = this.fitting((choice) => choice.from === cell).length > 0 ? cell : null;
    this.drawBoard();
    return this.picked !== null;
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

  // Shows the tile to place, and the tiles that can still come with their counts.
  drawStock() {
    const { hand = null, stock = [] } = this.view;
    const columns = this.view.grid?.columns ?? stock.length;
    const tile = (letter, name, label, ...inside) => {
      const node = make("span", { class: `tile ${name}`, role: "img", "aria-label": label }, letter, inside);
      node.style.background = tint(letter, columns);
      return node;
    };
    const left = stock.reduce((sum, { count }) => sum + count, 0);
    this.stock.hidden = !stock.length && hand === null;
    this.stock.replaceChildren(...hand === null ? [] : [tile(hand, "hand", `to place: ${hand}`)],
      ...stock.map(({ letter, count }) => tile(letter, count ? "" : "none", `${count} of ${letter} in the bag`,
        make("span", { class: "count", "aria-hidden": "true" }, String(count)))),
      ...stock.length ? [make("span", { class: "muted" }, `${left} left`)] : []);
  }

  drawPanels() {
    // The card that has the focus, or for which the page asks.
    const isHeld = ([, node]) => node === (this.asking.contains(document.activeElement) ? this.asked : document.activeElement);
    this.held = [...this.cards ?? []].find(isHeld)?.[0] ?? this.held;
    this.drawCards();
    // The focus stays on its place, even if the cards could not be chosen meanwhile.
    if (this.held && [null, document.body].includes(document.activeElement)) this.cards.get(this.held)?.focus({ preventScroll: true });
  }

  drawCards() {
    // The open cards of groups with their lines.
    this.lined = [];
    this.cards = new Map();
    [this.before, this.shown] = [this.shown, new Map()];
    const panels = this.view.panels.map((panel, at) => this.panel(panel, at));
    const seats = new Map();
    this.view.panels.forEach(({ seat }, at) => {
      if (Number.isInteger(seat)) seats.set(seat, [...seats.get(seat) ?? [], panels[at]]);
    });
    if (!seats.size) return this.panels.replaceChildren(...panels);
    const columns = Math.max(1, Math.min(MOST_COLUMNS, seats.size - 1));
    const places = [...seats].map(([seat, held]) => {
      const node = make("div", { class: seat === 0 ? "place head" : "place" }, held);
      const way = Math.PI * ((seat - 1) % columns + .5) / columns;
      node.style.setProperty("--drop", seat === 0 ? "0px" : `${Math.round(ARC * Math.sin(way))}px`);
      return node;
    });
    const around = make("div", { class: "around" }, places);
    around.style.setProperty("--seats", columns);
    this.panels.replaceChildren(around);
    this.panels.style.setProperty("display", "block");
  }

  panel({ title, cards, note, slots, seat }, at) {
    const owner = ["first", "second"].indexOf(cards[0]?.state);
    const names = ["panel", slots ? "team" : "", cards.some(isFace) ? "faces" : "", cards.length === 1 ? "single" : "",
      seat && owner >= 0 && owner === this.viewer ? "mine" : ""];
    const empty = Array.from({ length: Math.max(0, (slots ?? 0) - cards.length) }, () => make("div", { class: "card empty", "aria-hidden": "true" }));
    const list = make("div", { class: cards.length ? "cards" : "cards bare" }, cards.map((card, which) => this.card(card, at, which)), empty);
    if (slots) list.style.setProperty("--slots", slots);
    const remark = note ? make("p", { class: "note" }, note) : null;
    return make("section", { class: names.filter(Boolean).join(" "), "aria-label": title },
      make("h2", {}, title, slots ? make("span", { class: "note" }, note) : null), list, slots ? null : remark);
  }

  card(card, panel, which) {
    const { state } = card;
    // The list of moves also offers cards that are ruled out.
    const choice = state === "down" ? null : this.fitting(({ card }) => card && card[0] === panel && card[1] === which)[0];
    const { kind, content } = cardParts(card, { first: this.about.roles[0], second: this.about.roles[1], down: "down" }[state]);
    const attributes = { class: `card ${kind} ${state}`, title: kind === "face" ? card.lines.join("\n") : null };
    const words = choice && make("span", { class: "unseen" }, `${choice.words}: `);
    const node = choice ? button([words, ...content], () => choice.is_decisive ? this.confirm(choice, node) : this.play(choice.notation), attributes)
      : make("div", attributes, content);
    if (this.view.panels[panel].cards.length > 1 && state !== "down") this.lined.push([node, card.lines]);
    const key = `${panel},${which}`;
    this.cards.set(key, node);
    // A playing card or a face that was not there like this before is turned, also if the table is drawn again meanwhile.
    const now = performance.now();
    const side = `${kind && card.name} ${state === "down"}`;
    const old = this.before?.get(key);
    const since = old?.side === side ? old.since : kind && this.before ? now : -Infinity;
    this.shown.set(key, { side, since });
    if (now - since < TURN_MS) {
      node.classList.add("turned");
      node.style.animationDelay = `${since - now}ms`;
    }
    return node;
  }

  // Asks before a decisive move.
  confirm({ words, notation }, node) {
    this.cancel();
    node.classList.add("picked");
    this.asked = node;
    const yes = button(`${words[0].toUpperCase()}${words.slice(1)}`, () => this.play(notation), { class: "main", id: "confirm" });
    this.asking.replaceChildren(yes, button("Cancel", () => this.cancel(), { id: "cancel" }));
    yes.focus();
  }

  // Puts the picked piece down, and withdraws a question.
  cancel() {
    if (this.picked !== null) this.press(null);
    if (!this.asking.hasChildNodes()) return;
    this.asking.replaceChildren();
    this.asked.classList.remove("picked");
    this.asked.focus();
  }

  // Shows the choices without a cell or card as buttons; `only` are the choices in question.
  drawChoices(only) {
    const choices = this.fitting(() => true);
    this.further.replaceChildren();
    if (!choices.length) return this.choices.replaceChildren();
    // A question marks the cards for which the answer is yes.
    const see = ({ group, label }, isSeen) => () => {
      for (const [node, lines] of this.lined) node.classList.toggle("meant", isSeen && lines.includes(`${group} ${label}`));
    };
    // Returns the numbers of open cards for which the answer to a question is yes and no, if cards have the attribute.
    const answers = ({ group, label }) => {
      const asked = this.lined.filter(([, lines]) => lines.some((line) => line.startsWith(`${group} `)));
      const meant = asked.filter(([, lines]) => lines.includes(`${group} ${label}`)).length;
      return asked.length ? [meant, asked.length - meant] : null;
    };
    const act = (choice, keys) => {
      const { group, label, notation } = choice;
      const counts = answers(choice);
      const words = counts ? `${choice.words} Yes leaves ${counts[0]}, no leaves ${counts[1]}.` : choice.words;
      const named = label ? {
        "aria-label": group ? words : `${label}: ${words}`, title: words, "data-count": counts?.[0], disabled: counts?.includes(0),
        mouseenter: see(choice, true), mouseleave: see(choice, false), focus: see(choice, true), blur: see(choice, false),
      } : {};
      return button([swatch(label ?? ""), label ?? words], () => this.play(notation), { ...named, "aria-keyshortcuts": keys });
    };
    // Few choices have keys: 1 for the first, and so on.
    const buttons = (listed) => make("div", { class: "moves" }, listed.map((choice, at) => act(choice, choice.group === null && listed.length < 10 ? at + 1 : null)));
    const { amount } = this.view;
    const isAmount = ({ notation }) => amount && notation.startsWith(amount.before);
    const others = only ?? choices.filter((choice) => choice.to === null && !choice.card && !isAmount(choice));
    const groups = new Map();
    for (const choice of others) groups.set(choice.group, [...groups.get(choice.group) ?? [], choice]);
    const parts = [...groups].map(([group, listed]) => group === null ? buttons(listed)
      : make("section", { class: "group" }, make("h2", {}, group), buttons(listed)));
    this.choices.replaceChildren(...amount ? [this.amount(amount)] : [], ...parts);
    this.further.append(...others.length < choices.length ? [this.asList(choices)] : [], this.typed());
  }

  // A slider for moves that differ in a number, with the suggested number marked.
  amount({ before, least, most }) {
    const shown = make("output");
    const name = before.trim();
    const marks = make("datalist", { id: "suggested" });
    const slider = make("input", { type: "range", min: least, max: most, value: least, "aria-label": name, list: "suggested", input: () => set(slider.value) });
    const submit = button("", () => { this.lastAmount = slider.value; this.play(`${before}${slider.value}`); }, { class: "main", id: "play-amount" });
    const advice = make("div", { class: "advice" });
    const set = (value) => {
      slider.value = value;
      shown.textContent = submit.textContent = `${name} ${slider.value}`;
    };
    const view = this.view;
    this.advise?.((notation) => {
      const value = notation.startsWith(before) ? Number(notation.slice(before.length)) : NaN;
      if (view !== this.view || !Number.isFinite(value)) return;
      marks.replaceChildren(make("option", { value }));
      advice.replaceChildren(button(`Suggested: ${value}`, () => set(value), { class: "chip", id: "suggestion" }));
    });
    set(Math.min(most, Math.max(least, this.lastAmount ?? Math.round((least + most) / 20))));
    return make("div", { class: "amount" }, make("span", { "aria-hidden": "true" }, String(least)), slider,
      make("span", { "aria-hidden": "true" }, String(most)), submit, advice, marks);
  }

  // Shows all moves as a list, which is created when it is opened.
  asList(choices) {
    const listed = () => make("div", { class: "moves" }, choices.map((choice) => button(choice.words, () => this.play(choice.notation))));
    const details = make("details", {
      toggle: () => { if (details.open && !details.querySelector(".moves")) details.append(listed()); },
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
