// The review of a game: it steps from mistake to mistake, and lets a person find the better moves.
import { markerOf } from "./board.js";
import { COLOURS, course } from "./course.js";
import { button, make, movesList, tableOf } from "./dom.js";
import { positionOf } from "./play.js";
import { saveButtons } from "./saving.js";
import { positionIn } from "./setup.js";
import { openSteps, stepOf } from "./steps.js";
import { load } from "./store.js";
import { ViewBox } from "./view.js";
import { SIGNS, endText, lossText, packed, points, triedText } from "./words.js";

// The minimum time between two drawings of a growing review.
const DRAW_MS = 100;

const MARK_COLOURS = { inaccuracy: "var(--muted)", mistake: "var(--second)", blunder: "var(--bad)" };

export const open = (page) => {
  const { query } = page;
  page.root.append(make("h1", {}, "Review"));
  const game = load(query.get("game"));
  const given = positionIn(page, game && positionOf(game));
  return given && new Review(page, given.about, given.position, game).begin();
};

class Review {
  // `game` is the game that a person played in this browser, or null.
  constructor(page, about, position, game) {
    Object.assign(this, { page, about, position, person: game?.side ?? null, last: position.moves.length, ply: position.moves.length });
    // The number of opening moves, which no player has chosen.
    this.opening = game?.opening?.length ?? (Number(page.query.get("opening")) || 0);
    this.review = { roles: about.roles, moves: [], sides: [], stops: [], luck: null };
    // `isSteered` is true once the person has chosen a position. `sought` is the index of the mistake for which a better
    // move is sought, and `learner` the side that learns from its mistakes, or null.
    Object.assign(this, { isSteered: false, sought: null, learner: null, tries: 0, words: "" });
    this.seen = new Map();
    this.box = new ViewBox(about, (notation) => this.attempt(notation));
    this.progress = make("p", { class: "muted", id: "progress" }, "Looking at the moves…");
    this.move = make("p", { class: "move", id: "move", "aria-live": "polite" });
    this.buttons = {
      previous: button("Previous mistake", () => this.toStop(-1), { id: "previous", title: "Arrow up" }),
      next: button("Next mistake", () => this.toStop(1), { id: "next", class: "main", title: "Arrow down" }),
      seek: button("Find a better move", () => this.seek(this.ply - 1), { id: "seek" }),
      reveal: button("Show the best move", () => this.reveal(), { id: "reveal" }),
      leave: button("Back to the review", () => this.goTo(this.sought + 1), { id: "leave" }),
    };
    this.analyse = button("Analyse this position", () => {
      location.hash = `#/analysis?position=${packed(this.after(this.ply))}`;
    }, { id: "analyse" });
    this.summary = make("tbody");
    this.legend = make("p", { class: "muted" });
    this.learn = make("div", { class: "actions", id: "learn" });
    this.luck = make("p", { id: "luck" });
    this.course = make("div", { class: "course" });
    this.list = movesList();
    this.steps = openSteps({
      go: (ply) => this.steer(ply), now: () => ({ ply: this.ply, last: this.last }),
      keys: { ArrowUp: () => this.toStop(-1), ArrowDown: () => this.toStop(1) },
      isBusy: (target) => target.closest?.("input, textarea, select") || target.matches?.(".history, .scroll"), signal: page.signal,
    });
  }

  async begin() {
    const { page, box } = this;
    page.root.append(make("div", { class: "table" },
      make("div", { class: "stage" }, box.stage, this.steps.element),
      make("div", { class: "beside card-box" }, this.move,
        make("div", { class: "actions thumb" }, Object.values(this.buttons)), box.choices, this.course,
        tableOf("The accuracy of each side", ["side", "accuracy", ...Object.values(SIGNS), "lost"], 1, this.summary),
        this.legend, this.luck, this.learn, this.progress, make("h2", {}, "Moves"), this.list, box.side,
        make("div", { class: "actions" }, this.analyse),
        saveButtons(page, () => this.after(this.ply), () => this.position))));
    await Promise.all([this.goTo(this.ply), this.judge()]);
  }

  isTable() { return this.review.roles.length > 2; }

  // Names a side: the person at this page has the name `you`.
  nameOf(side, you = "you") { return side === this.person ? you : this.review.roles[side]; }

  after(ply) {
    return { ...this.position, moves: this.position.moves.slice(0, ply) };
  }

  async judge() {
    const { page } = this;
    const request = { ask: "review", position: this.position, opening: this.opening };
    let drawn = -Infinity;
    const grown = (review) => {
      this.review = review;
      if (review.moves.length < this.last && performance.now() < drawn + DRAW_MS) return;
      drawn = performance.now();
      this.progress.textContent = `${review.moves.length} of ${this.last} moves are judged.`;
      this.drawReview();
      if (this.isSteered || !review.stops.length) return;
      this.isSteered = true;
      this.goTo(review.stops[0] + 1);
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

  // Shows the position that the person has chosen.
  steer(ply) {
    this.isSteered = true;
    return this.goTo(ply);
  }

  // Shows the position after a number of moves.
  goTo(ply) {
    this.sought = this.learner = null;
    this.ply = Math.max(0, Math.min(ply, this.last));
    return this.show(this.ply ? this.moveWords(this.ply - 1) : "The beginning", async () => {
      const [before, seen] = await Promise.all([this.look(this.after(Math.max(0, this.ply - 1))), this.look(this.after(this.ply))]);
      if (seen.end && !this.isTable()) seen.view.caption = endText(this.about, seen.end);
      return [seen.view, before.view];
    });
  }

  // Shows the position before a mistake, in which the person looks for a better move.
  seek(at, words = null) {
    this.isSteered = true;
    this.sought = at;
    this.ply = at;
    const { side, mark, words: played } = this.review.moves[at];
    const was = `Move ${at + 1}, ${this.nameOf(side)}: ${played} was ${mark === "inaccuracy" ? "an" : "a"} ${mark}.`;
    return this.show(words ?? `${was} Find a better move.`, async () => [(await this.look(this.after(at), side)).view, null]);
  }

  // Judges a move that the person tries instead of a mistake.
  async attempt(notation) {
    const at = this.sought;
    if (at === null) return;
    const number = ++this.tries;
    const position = { ...this.position, moves: [...this.position.moves.slice(0, at), notation] };
    const { page, about } = this;
    page.clearError();
    this.move.textContent = "Looking at this move…";
    try {
      const tried = await page.engine.ask({ ask: "judge", position }, page.signal);
      if (number !== this.tries) return;
      const words = triedText(about, tried);
      if (tried.mark) return await this.seek(at, `${words} Try another move.`);
      await this.show(words, async () => [(await this.look(position)).view]);
    } catch (error) {
      page.fail(error);
    }
  }

  // Shows the best move instead of a mistake on the board.
  reveal() {
    const { best, best_words: words } = this.review.moves[this.sought];
    this.seek(this.sought, `The best move: ${words}.`).then(() => this.box.suggest([best]));
  }

  // Returns the indices of all mistakes, or of the mistakes of the side that learns.
  stops() {
    const { stops, moves } = this.review;
    return this.learner === null ? stops : stops.filter((at) => moves[at].side === this.learner);
  }

  // Returns the next or the previous mistake, or undefined.
  stopBy(way) {
    const at = this.sought ?? this.ply - 1;
    return way > 0 ? this.stops().find((stop) => stop > at) : this.stops().findLast((stop) => stop < at);
  }

  toStop(way) {
    const stop = this.stopBy(way);
    if (stop === undefined) return;
    if (this.learner === null) this.steer(stop + 1);
    else this.seek(stop);
  }

  learnFrom(side) {
    this.learner = side;
    this.seek(this.stops()[0]);
  }

  // Shows the view that `look` returns, with the changes from the view before it.
  async show(words, look) {
    const number = ++this.tries;
    this.steps.draw();
    try {
      const [view, before] = await look();
      if (number !== this.tries) return;
      this.box.draw(view, before);
      this.words = words;
      this.drawMove();
      this.drawCourse();
    } catch (error) {
      this.page.fail(error);
    }
  }

  // Returns a view; requests it only once.
  look(position, viewer = null) {
    const key = JSON.stringify([position.moves, viewer]);
    if (!this.seen.has(key)) this.seen.set(key, this.page.engine.ask({ ask: "view", position, viewer }, this.page.signal));
    return this.seen.get(key);
  }

  moveWords(at) {
    const { about, review } = this;
    const judged = review.moves[at];
    if (!judged) return `Move ${at + 1}: ${this.position.moves[at]}`;
    const who = `Move ${at + 1}, ${this.nameOf(judged.side)}: ${judged.words}`;
    if (!judged.is_chosen) return `${who}. The player had no choice.`;
    if (judged.lost < 1e-6) return `${who}. ${judged.is_exact ? "There was nothing better" : "Nothing better was found"}.`;
    const mark = judged.mark ? `${SIGNS[judged.mark]} ${judged.mark}: lost` : "Lost";
    return `${who}. ${mark} ${judged.is_exact ? "" : "about "}${lossText(about, judged.lost)}. Better: ${judged.best_words}.`;
  }

  drawMove() {
    const { buttons, review, sought, ply } = this;
    this.move.textContent = this.words;
    const mark = sought === null ? review.moves[ply - 1]?.mark : null;
    buttons.previous.disabled = this.stopBy(-1) === undefined;
    buttons.next.disabled = this.stopBy(1) === undefined;
    buttons.seek.hidden = !mark;
    buttons.reveal.hidden = buttons.leave.hidden = sought === null;
    for (const [at, item] of [...this.list.children].entries()) {
      const isShown = at + 1 === ply;
      item.firstChild.setAttribute("aria-pressed", String(isShown));
      if (isShown) this.list.scrollTop = item.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
    }
  }

  drawReview() {
    const { about, review } = this;
    const { roles, thresholds } = review;
    this.analyse.hidden = this.isTable();
    this.summary.replaceChildren(...review.sides.map((side, which) => make("tr", {},
      make("th", { scope: "row" }, this.nameOf(which, "You")),
      [side.accuracy === null ? "" : `${Math.round(side.accuracy)} %`, side.inaccuracies, side.mistakes, side.blunders, lossText(about, side.lost)]
        .map((text) => make("td", { class: "figure" }, String(text))))));
    this.legend.textContent = `${Object.entries(SIGNS).map(([mark, sign]) => `${sign} ${mark}: at least ${lossText(about, thresholds[mark])}`).join(", ")} lost.`;
    this.luck.textContent = review.luck === null ? ""
      : `Luck of the draws: ${points(review.luck)} points for ${roles[0]}.`;
    const learners = [...new Set(review.stops.map((at) => review.moves[at].side))].sort();
    this.learn.replaceChildren(...learners.map((side) => button(
      `Learn from ${side === this.person ? "your" : `${roles[side]}'s`} mistakes`, () => this.learnFrom(side), { id: `learn-${side}` })));
    this.list.replaceChildren(...this.position.moves.map((move, at) => {
      const { side, words = move, mark, lost = 0 } = review.moves[at] ?? {};
      const who = side === undefined ? "" : this.isTable() ? `${roles[side]}: ` : markerOf(about, side);
      const loss = lost < 1e-6 ? "" : `${mark ? `${SIGNS[mark]} ` : ""}−${lossText(about, lost)}`;
      return stepOf(who, words, make("code", { class: mark }, loss), () => this.steer(at + 1));
    }));
    if (this.sought === null && this.ply) this.words = this.moveWords(this.ply - 1);
    this.drawMove();
    this.drawCourse();
  }

  // Draws the expected result after each move with the marks, or each side's total loss if the game has no expectation.
  drawCourse() {
    const { about, review } = this;
    const scale = about.is_won ? 100 : 1;
    const expected = review.moves.flatMap((move, at) => Number.isFinite(move.score) ? [[at + 1, move.score * scale]] : []);
    const totals = review.roles.map(() => 0);
    const lost = review.moves.map(({ side, lost }) => totals[side] += lost * scale);
    const lines = expected.length
      ? [[about.is_won ? `% for ${review.roles[0]}` : `expected for ${review.roles[0]}`, COLOURS[0], expected]]
      : review.roles.map((role, which) => [`${role} lost`, COLOURS[which],
        [[0, 0], ...review.moves.flatMap(({ side }, at) => side === which ? [[at + 1, lost[at]]] : [])]]);
    const heights = new Map(expected.length ? expected : lost.map((height, at) => [at + 1, height]));
    const dots = review.moves.flatMap(({ mark }, at) => mark && heights.has(at + 1) ? [[at + 1, heights.get(at + 1), MARK_COLOURS[mark]]] : []);
    this.course.replaceChildren(course(lines, {
      plies: this.last, ply: this.ply, top: about.is_won ? 100 : 1, dots, pick: (ply) => this.steer(ply),
    }));
  }
}
