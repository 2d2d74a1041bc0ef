// The review of a game: the loss of each move, the better move, and luck apart from skill.
import { button, make } from "./dom.js";
import { COLOURS, course } from "./course.js";
import { saveButtons } from "./saving.js";
import { openSteps } from "./steps.js";
import { load } from "./store.js";
import { ViewBox } from "./view.js";
import { endText, lossText, packed, points, scoreText, unpacked } from "./words.js";
import { positionOf } from "./play.js";

const PHASES = ["first third", "second third", "last third"];

export const open = (page) => {
  const { query } = page;
  page.root.append(make("h1", {}, "Review"));
  const game = load(query.get("game"));
  let position = game ? positionOf(game) : null;
  try {
    if (query.has("position")) position = unpacked(query.get("position"));
  } catch {
    // Handled like a missing position.
  }
  const about = page.games.find(({ name }) => name === position?.game);
  if (!about) return page.missing("The address names no game.", "#/", "To the beginning");
  return new Review(page, about, position).begin();
};

class Review {
  constructor(page, about, position) {
    Object.assign(this, { page, about, position, ply: position.moves.length, review: null });
    // The number of opening moves, which no player has chosen.
    this.opening = Number(page.query.get("opening")) || 0;
    this.last = position.moves.length;
    this.seen = new Map();
    this.box = new ViewBox(about);
    this.progress = make("p", { class: "status", id: "progress" }, "Looking at the moves…");
    this.move = make("p", { class: "move", id: "move", "aria-live": "polite" });
    this.summary = make("tbody", {});
    this.luck = make("p", {});
    this.worst = make("div", { class: "hints", id: "worst" });
    this.course = make("div", { class: "course" });
    this.list = make("ol", { class: "history", "aria-label": "Moves", tabindex: 0 });
    this.steps = openSteps({
      go: (ply) => this.goTo(ply), now: () => ({ ply: this.ply, last: this.last }),
      isBusy: (target) => target.closest?.("input, textarea, select"), signal: page.signal,
    });
  }

  async begin() {
    const { page, position } = this;
    const columns = ["side", "moves", "best", "lost", ...PHASES].map((name, at) => make("th", { scope: "col", class: at ? "right" : null }, name));
    const analyse = button("Analyse this position", () => {
      location.hash = `#/analysis?position=${packed(this.after(this.ply))}`;
    });
    page.root.append(make("div", { class: "table" },
      make("div", { class: "stage" }, this.box.stage, this.steps.element, this.move, this.box.side,
        make("div", { class: "actions" }, analyse),
        saveButtons(page, () => this.after(this.ply), () => this.position)),
      make("div", { class: "beside card-box" }, this.progress,
        make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "What each side lost" },
          make("table", { class: "lines" }, make("thead", {}, make("tr", {}, columns)), this.summary)),
        this.luck, make("h2", {}, "The worst moves"), this.worst, make("h2", {}, "Course"), this.course,
        make("h2", {}, "Moves"), this.list)));
    await Promise.all([this.goTo(this.ply), this.judge()]);
  }

  after(ply) {
    return { ...this.position, moves: this.position.moves.slice(0, ply) };
  }

  async judge() {
    const { page } = this;
    const request = { ask: "review", position: this.position, opening: this.opening };
    const grown = (review) => {
      this.review = review;
      this.progress.textContent = `${review.moves.length} of ${this.last} moves are judged.`;
      this.drawReview();
    };
    try {
      grown(await page.engine.grow(request, grown, page.signal,
        (before) => { this.progress.textContent = `${before} searches are before this one.`; }));
      this.progress.textContent = "All moves are judged.";
      page.say("All moves are judged.");
    } catch (error) {
      if (page.signal.aborted) return;
      this.progress.textContent = error.message;
    }
  }

  async goTo(ply) {
    this.ply = Math.max(0, Math.min(ply, this.last));
    const wanted = this.ply;
    this.steps.draw();
    this.drawMove();
    if (this.review) this.drawCourse();
    try {
      const [before, seen] = await Promise.all([this.look(Math.max(0, wanted - 1)), this.look(wanted)]);
      if (wanted !== this.ply) return;
      this.box.draw(seen.view, before.view);
      if (seen.end) this.box.caption.textContent = endText(this.about, seen.end);
    } catch (error) {
      this.page.fail(error);
    }
  }

  // Returns the view after a number of moves; requests it only once.
  look(ply) {
    if (!this.seen.has(ply)) {
      const request = { ask: "view", position: this.after(ply) };
      this.seen.set(ply, this.page.engine.ask(request, this.page.signal));
    }
    return this.seen.get(ply);
  }

  moveWords(at) {
    const judged = this.review?.moves[at];
    const move = this.position.moves[at];
    if (!judged) return `Move ${at + 1}: ${move}`;
    const { about } = this;
    const who = `Move ${at + 1}, ${about.roles[judged.side]}: ${move}`;
    if (judged.lost < 1e-6) return `${who}. ${judged.is_exact ? "There was nothing better" : "Nothing better was found"}.`;
    return `${who} lost ${judged.is_exact ? "" : "about "}${lossText(about, judged.lost)}; better was ${judged.best}.`;
  }

  drawMove() {
    this.move.textContent = this.ply ? this.moveWords(this.ply - 1) : "The beginning";
    for (const [at, item] of [...this.list.children].entries()) {
      item.firstChild.setAttribute("aria-pressed", String(at + 1 === this.ply));
    }
  }

  drawReview() {
    const { about, review } = this;
    this.summary.replaceChildren(...review.sides.map((side, which) => make("tr", {},
      make("th", { scope: "row" }, about.roles[which]),
      [String(side.moves), side.moves ? `${side.best} (${Math.round(side.best / side.moves * 100)} %)` : "none",
        lossText(about, side.lost), ...side.by_phase.map((lost) => lossText(about, lost))]
        .map((text) => make("td", { class: "figure" }, text)))));
    this.luck.textContent = review.luck === null ? ""
      : `Luck: what was drawn brought ${about.roles[0]} ${points(review.luck)} points.`;
    this.worst.replaceChildren(...review.worst.map((at) =>
      button(this.moveWords(at), () => this.goTo(at + 1), { class: "worst-move" })));
    if (!review.worst.length) this.worst.textContent = "None gave anything away.";
    this.list.replaceChildren(...this.position.moves.map((move, at) => {
      const lost = review.moves[at]?.lost ?? 0;
      return make("li", {}, button(lost < 1e-6 ? move : `${move} −${lossText(about, lost)}`, () => this.goTo(at + 1)));
    }));
    this.drawMove();
    this.drawCourse();
  }

  // Draws the expectation after each move where it is known, and each side's total loss so far.
  drawCourse() {
    const { about, review } = this;
    const scale = about.is_won ? 100 : 1;
    const lines = about.roles.map((role, side) => {
      let lost = 0;
      const given = review.moves.map((move, at) => [at + 1, (lost += move.side === side ? move.lost * scale : 0)]);
      return [`${role} gave`, COLOURS[side], [[0, 0], ...given]];
    });
    const expected = review.moves.flatMap((move, at) => Number.isFinite(move.score) ? [[at + 1, move.score * scale]] : []);
    if (expected.length) lines.push([about.is_won ? `% for ${about.roles[0]}` : "expected", COLOURS[2], expected]);
    const last = review.moves.findLast((move) => Number.isFinite(move.score));
    const label = last ? `The course of the game; at the end ${scoreText(about, last.score)}` : "What was lost so far";
    this.course.replaceChildren(course(lines, {
      plies: this.last, ply: this.ply, top: about.is_won ? 100 : 1, pick: (ply) => this.goTo(ply), label,
    }));
  }
}
