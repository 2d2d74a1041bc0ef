// Puzzles: positions with one good move, which a person finds. The file of a game's puzzles is fetched on demand, unless
// the page contains it.
import { button, make } from "./dom.js";
import { field, select } from "./setup.js";
import { ViewBox } from "./view.js";
import { lineValue, triedText } from "./words.js";

const NODES = 20000;
const GRADES = ["Easy", "Medium", "Hard"];

// Returns the grade of a puzzle: the strongest level that misses the solution is below a quarter of the levels, below half
// of them, or not below half.
const gradeOf = (level, levels) => level < levels / 4 ? 0 : level < levels / 2 ? 1 : 2;

export const open = async (page) => {
  const about = page.games.find(({ name }) => name === page.query.get("game"));
  let set = null;
  const contained = document.getElementById(`puzzles-${about.name}`);
  if (contained) set = JSON.parse(contained.textContent);
  else try {
    const response = await fetch(new URL(`./puzzles-${about.name}.json`, import.meta.url), { signal: page.signal });
    if (response.ok) set = await response.json();
  } catch {
    // Handled like a missing set.
  }
  if (!set) return page.missing("There are no puzzles of this game here.");
  page.root.append(make("h1", {}, `Puzzles: ${about.title}`));
  return new Puzzles(page, about, set).begin();
};

class Puzzles {
  constructor(page, about, { puzzles, game, settings }) {
    Object.assign(this, { page, about, puzzles, rules: { game, settings }, number: -1, solved: new Set(), turn: 0 });
    this.box = new ViewBox(about, (notation) => this.run(() => this.attempt(notation)));
    this.task = make("p", { class: "move", id: "move", "aria-live": "polite" });
    this.reveal = button("Show the solution", () => this.run(() => this.explain()), { id: "reveal" });
    this.count = make("p", { class: "muted", id: "count" });
    this.line = make("div", { class: "hint-line", id: "line" });
    this.grades = puzzles.map(({ level }) => gradeOf(level, about.levels.length));
    this.level = select([["", "All"], ...GRADES.map((name, grade) => [grade, name]).filter(([grade]) => this.grades.includes(grade))]);
    this.level.addEventListener("change", () => this.next());
  }

  begin() {
    const { box } = this;
    this.page.root.append(make("div", { class: "table" }, make("div", { class: "stage" }, box.stage),
      make("div", { class: "beside card-box" }, this.task, make("div", { class: "actions thumb" },
        this.reveal,
        button("Next puzzle", () => this.next(), { id: "next", class: "main" })),
      this.line, box.choices, this.count, field("Difficulty", this.level, "By the strongest level that misses the solution"), box.side)));
    return this.next();
  }

  // Runs an action that asks the engine. A later action makes its answers obsolete.
  async run(act) {
    this.turn++;
    this.page.clearError();
    try {
      await act();
    } catch (error) {
      this.page.fail(error);
    }
  }

  // Returns the engine's answer about the puzzle after further moves, or never if it is obsolete.
  async ask(request, moves = []) {
    const { turn, page, rules, puzzles } = this;
    const { beginning, moves: before } = puzzles[this.number];
    const answer = await page.engine.ask({ ...request, position: { ...rules, beginning, moves: [...before, ...moves] } }, page.signal);
    return turn === this.turn ? answer : new Promise(() => {});
  }

  // Shows the next puzzle of the chosen difficulty.
  next() {
    const fits = (grade) => ["", String(grade)].includes(this.level.value);
    const after = this.grades.findIndex((grade, at) => at > this.number && fits(grade));
    this.number = after >= 0 ? after : this.grades.findIndex(fits);
    return this.run(() => this.show());
  }

  async show(words) {
    const { turn: side } = await this.ask({ ask: "view" });
    const { view } = await this.ask({ ask: "view", viewer: side });
    this.line.replaceChildren();
    this.reveal.hidden = false;
    this.box.draw(view, null);
    this.task.textContent = words ?? `${this.about.roles[side]} is to move. Find the only good move.`;
    const { level } = this.puzzles[this.number];
    const missed = level ? `level ${level} of ${this.about.levels.length} still misses the move` : "every level finds the move";
    this.count.textContent = `Puzzle ${this.number + 1} of ${this.puzzles.length}. ${GRADES[this.grades[this.number]]}: ${missed}. ${this.solved.size} solved.`;
  }

  async attempt(notation) {
    const tried = await this.ask({ ask: "judge" }, [notation]);
    const words = triedText(this.about, tried);
    if (tried.mark) return this.show(`${words} Try another move.`);
    this.solved.add(this.number);
    return this.explain(words);
  }

  // Shows the solution on the board, and the line that it begins.
  async explain(words) {
    await this.show(words);
    this.reveal.hidden = true;
    const { solution } = this.puzzles[this.number];
    const name = this.box.view.choices.find(({ notation }) => notation === solution)?.words ?? solution;
    this.task.textContent = words ?? `The solution: ${name}.`;
    this.box.suggest([solution]);
    const { lines: [line] } = await this.ask({ ask: "study", top: 1, nodes: NODES });
    const moves = line.moves[0] === solution ? line.moves : [solution];
    const walk = async (count) => this.box.draw((await this.ask({ ask: "view" }, moves.slice(0, count))).view);
    this.line.replaceChildren(...moves.map((move, at) => button(at ? move : name, () => this.run(() => walk(at + 1)),
      { title: "Show the position after this move" })), make("b", {}, lineValue(this.about, line)));
  }
}
