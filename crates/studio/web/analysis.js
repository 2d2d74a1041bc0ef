// The analysis board: any position, the engine's growing lines, and moves to try.
import { button, make, movesList, tableOf } from "./dom.js";
import { evaluationBar, progressText } from "./evaluation.js";
import { Placing } from "./placing.js";
import { field, freshSeed, gameChoice, positionIn, select } from "./setup.js";
import { ViewBox } from "./view.js";
import { endText, lineValue, packed } from "./words.js";

export const open = (page) => {
  const { query } = page;
  page.root.append(make("h1", {}, "Analysis"));
  if (!query.has("position")) return choosePosition(page);
  const given = positionIn(page);
  return given && new Analysis(page, given.about, given.position).begin();
};

// Returns an address that opens this position. Setting the address does not reload the open page.
const addressOf = (position) => `#/analysis?position=${packed(position)}`;

const choosePosition = ({ root, games, engine, query, signal, fail, clearError }) => {
  const text = make("textarea", { rows: 10, spellcheck: "false", name: "text" });
  const choice = gameChoice(games, query.get("game"));
  choice.fill();
  const go = async (event) => {
    event.preventDefault();
    clearError();
    try {
      const game = choice.about().name;
      const settings = await engine.ask({ ask: "settle", game, options: choice.options() }, signal);
      const beginning = text.value.trim() ? { text: text.value } : { seed: freshSeed() };
      const position = { game, settings, beginning, moves: [] };
      await engine.ask({ ask: "view", position }, signal);
      location.hash = addressOf(position);
    } catch (error) {
      fail(error);
    }
  };
  root.append(make("form", { class: "card-box setup", submit: go }, choice.elements, choice.quick,
    make("details", {}, make("summary", {}, "Settings of the game"), choice.settings),
    field("Position as text", text, "In the game's own notation, as turnwise analyse reads it. Empty: the beginning of a game, on whose board pieces can then be placed by hand."),
    make("div", { class: "actions" }, make("button", { type: "submit", class: "main" }, "Set up"))));
};

class Analysis {
  // `position.moves` is a line whose first `at` moves are played on the board.
  constructor(page, about, position) {
    Object.assign(this, { page, about, position, at: position.moves.length, seen: null, studied: null, compared: new Set() });
    this.searching = new AbortController();
    this.box = new ViewBox(about, (notation) => this.play(notation));
    this.status = make("p", { class: "status", id: "status" });
    this.progress = make("p", { class: "muted", id: "progress" });
    this.evaluation = make("div", { id: "evaluation" });
    this.lines = make("tbody");
    this.history = movesList();
    this.comparison = make("div", { id: "comparison" });
    this.text = make("textarea", { rows: 8, spellcheck: "false" });
    this.placing = new Placing(about, this.text);
    this.running = button("Stop", () => this.toggle(), { id: "running" });
    this.isOn = true;
    this.top = select([1, 2, 3, 5, 10].map((number) => [number, String(number)]));
    this.top.value = 3;
    this.seconds = select([2, 5, 10, 30, 60].map((number) => [number, `${number} s`]));
    this.seconds.value = 10;
    for (const control of [this.top, this.seconds]) control.addEventListener("change", () => this.study());
  }

  begin() {
    const { page } = this;
    page.signal.addEventListener("abort", () => this.searching.abort());
    const setUp = (event) => {
      event.preventDefault();
      this.restart({ ...this.position, beginning: { text: this.text.value }, moves: [] });
    };
    this.textBox = make("form", { class: "card-box", submit: setUp }, this.placing.box, field("Position as text", this.text),
      make("div", { class: "actions" }, make("button", { type: "submit" }, "Set up this text"),
        button("Copy text", () => page.copy(this.text.value, "The position"), { id: "copy-text" })));
    page.root.append(make("div", { class: "table" },
      make("div", { class: "stage" }, this.box.stage, this.comparison),
      make("div", { class: "beside card-box" }, this.status, this.evaluation,
        make("div", { class: "two narrow" }, field("Lines", this.top), field("Time", this.seconds)),
        make("div", { class: "actions" }, this.running), this.progress,
        tableOf("The engine's lines", ["compare", "value", "line"], 3, this.lines, "lines"),
        this.box.side, make("h2", {}, "Moves"), this.history,
        make("div", { class: "actions" },
          button("Back", () => this.goTo(this.at - 1), { id: "back" }), button("Forward", () => this.goTo(this.at + 1), { id: "forward" }),
          button("Play from here", () => { location.hash = `#/play?position=${packed(this.played())}`; }, { id: "play-from-here" }),
          button("Copy link", () => page.copy(`${location.href.split("#")[0]}${addressOf(this.played())}`, "The link to this position")),
          make("a", { href: `#/analysis?game=${this.about.name}` }, "Another position")))), this.textBox);
    return this.goTo(this.at);
  }

  ask(request, signal = this.page.signal) {
    return this.page.engine.ask(request, signal);
  }

  played(further = []) {
    return { ...this.position, moves: [...this.position.moves.slice(0, this.at), ...further] };
  }

  // Returns the view of a position for the side to move.
  async look(position) {
    const seen = await this.ask({ ask: "view", position, viewer: this.seen?.turn ?? 0 });
    if (seen.turn === null || seen.turn === (this.seen?.turn ?? 0)) return seen;
    return this.ask({ ask: "view", position, viewer: seen.turn });
  }

  restart(position) {
    Object.assign(this, { position, at: 0 });
    return this.goTo(0);
  }

  async goTo(at) {
    if (at < 0 || at > this.position.moves.length) return;
    this.page.clearError();
    const before = this.at;
    this.at = at;
    try {
      this.show(await this.look(this.played()));
    } catch (error) {
      this.at = before;
      this.page.fail(error);
    }
  }

  async play(...moves) {
    this.page.clearError();
    try {
      const seen = await this.look(this.played(moves));
      // A move that equals the next move of the known line keeps the line.
      const isKnown = seen.moves.every((move, at) => move === this.position.moves[at]);
      if (!isKnown) this.position = { ...this.position, moves: seen.moves };
      this.at = seen.moves.length;
      this.show(seen);
    } catch (error) {
      this.page.fail(error);
    }
  }

  show(seen) {
    const { about, page } = this;
    this.seen = seen;
    this.studied = null;
    this.compared.clear();
    this.comparison.replaceChildren();
    this.box.draw(seen.view);
    this.status.textContent = seen.end ? `The game is over. ${endText(about, seen.end)}.` : `${about.roles[seen.turn]} is to move.`;
    page.say([this.status.textContent, seen.view.caption].filter(Boolean).join(" "));
    this.textBox.hidden = seen.text === null;
    this.text.value = seen.text ?? "";
    this.placing.show(seen.view.grid);
    this.history.replaceChildren(...this.position.moves.map((move, at) =>
      make("li", {}, button(move, () => this.goTo(at + 1), { "aria-pressed": String(at + 1 === this.at) }))));
    history.replaceState(null, "", addressOf(this.played()));
    this.study();
  }

  toggle() {
    this.isOn = this.searching.signal.aborted || !this.isSearching;
    this.study();
  }

  async study() {
    this.searching.abort();
    const searching = this.searching = new AbortController();
    const isMine = () => searching === this.searching;
    this.running.textContent = "Search";
    this.running.disabled = Boolean(this.seen.end);
    this.isSearching = this.isOn && !this.seen.end;
    this.drawLines();
    if (!this.isSearching) return;
    this.running.textContent = "Stop";
    const request = {
      ask: "study", position: this.played(), top: Number(this.top.value), seconds: Number(this.seconds.value),
    };
    const grown = (studied) => {
      if (!isMine()) return;
      this.studied = studied;
      this.drawLines();
    };
    const waiting = (before) => { if (isMine()) this.progress.textContent = `${before} searches are before this one.`; };
    try {
      grown(await this.page.engine.grow(request, grown, searching.signal, waiting));
      if (isMine() && this.studied.lines.length) this.page.say(`The best: ${this.studied.lines[0].moves[0]}, ${lineValue(this.about, this.studied.lines[0])}.`);
    } catch (error) {
      if (!searching.signal.aborted) this.page.fail(error);
    }
    if (!isMine()) return;
    this.isSearching = false;
    this.running.textContent = "Search";
  }

  drawLines() {
    const { studied } = this;
    this.progress.textContent = progressText(studied);
    const lines = studied?.lines ?? [];
    this.evaluation.replaceChildren(...this.seen.end ? [] : [evaluationBar(this.about, lines[0])]);
    this.box.suggest(lines.map((line) => line.moves[0]));
    this.lines.replaceChildren(...lines.map((line) => {
      const [first] = line.moves;
      const box = make("input", {
        type: "checkbox", "aria-label": `Compare ${first}`, change: () => this.compare(first, box.checked),
      });
      box.checked = this.compared.has(first);
      return make("tr", {}, make("td", {}, box), make("td", { class: "figure" }, lineValue(this.about, line)),
        make("td", {}, line.moves.map((move, at) =>
          button(move, () => this.play(...line.moves.slice(0, at + 1)), { title: "Follow the line up to here" }))));
    }));
  }

  // Compares two moves: shows the board after each.
  async compare(move, isOn) {
    if (isOn) this.compared.add(move);
    else this.compared.delete(move);
    const moves = [...this.compared].slice(-2);
    this.compared = new Set(moves);
    this.drawLines();
    if (moves.length < 2) return this.comparison.replaceChildren();
    const viewer = this.seen.turn;
    try {
      const views = await Promise.all(moves.map((one) =>
        this.ask({ ask: "view", position: this.played([one]), viewer })));
      const columns = views.map(({ view }, at) => {
        const box = new ViewBox(this.about);
        box.draw({ ...view, choices: [] });
        const line = this.studied?.lines.find((line) => line.moves[0] === moves[at]);
        return make("section", { "aria-label": `After ${moves[at]}` }, make("h3", {}, `After ${moves[at]}`),
          line ? make("p", {}, lineValue(this.about, line)) : null, box.stage, box.side);
      });
      this.comparison.replaceChildren(make("h2", {}, "Side by side"), make("div", { class: "two" }, columns));
    } catch (error) {
      this.page.fail(error);
    }
  }
}
