// A game of a person against an agent. This browser stores the whole game; the server only returns views of positions
// and the agent's moves.
import { button, make } from "./dom.js";
import { load, save } from "./store.js";
import { newGame } from "./setup.js";
import { ViewBox } from "./view.js";
import { clockText, endText, lineValue, packed, points } from "./words.js";

const HINTS = 3;
const HINT_NODES = 200000;
const HINT_SECONDS = 2;
const TICK_MS = 100;
const RESIGNED = "resigned";

export const positionOf = ({ game, settings, beginning, moves }) => ({ game, settings, beginning, moves });

export const open = (page) => {
  const game = load(page.path[0]);
  if (!game) return page.missing("This browser does not know that game.", "#/play", "Begin another");
  return new Match(page, game).begin();
};

// A game at the table.
class Match {
  constructor(page, game) {
    Object.assign(this, { page, game, seen: null, hints: [], since: null, turnNumber: 0, last: null });
    this.about = page.games.find(({ name }) => name === game.game);
    this.box = new ViewBox(this.about, (notation) => this.play(notation));
    this.seats = [0, 1].map((side) => this.seat(side));
    this.status = make("p", { class: "status", id: "status" });
    this.lastMove = make("p", { class: "muted", id: "last-move" });
    this.hintBox = make("div", { class: "hints" });
    this.history = make("ol", { class: "history", "aria-label": "Moves", tabindex: 0 });
    this.buttons = {
      back: button("Take back", () => this.takeBack(), { id: "take-back" }),
      hint: button("Hint", () => this.hint(), { id: "hint" }),
      resign: button("Resign", () => this.resign(), { id: "resign" }),
      rematch: button("Rematch", () => this.rematch(), { id: "rematch" }),
      review: button("Review", () => { location.hash = `#/review?game=${game.id}`; }, { id: "review" }),
      analyse: button("Analyse", () => { location.hash = this.link(); }, { id: "analyse" }),
      link: button("Copy link", () => page.copy(this.address(), "The link to this position"), { id: "link" }),
    };
    this.buttons.rematch.title = "The same luck with sides swapped";
  }

  get other() { return 1 - this.game.side; }

  seat(side) {
    const { game, about } = this;
    const clock = make("span", { class: "clock" });
    const name = side === game.side ? "You" : game.agent;
    const element = make("div", { class: "seat" }, make("span", { class: `side side-${side}`, "aria-hidden": "true" }),
      make("b", {}, name), make("span", {}, about.roles[side]), clock);
    return { element, clock };
  }

  begin() {
    const { page, game } = this;
    const before = game.before ? make("p", { class: "muted" }, game.before) : null;
    page.root.append(make("h1", { class: "unseen" }, `${this.about.title} against ${game.agent}`),
      make("div", { class: "table" },
        make("div", { class: "stage" }, this.seats[this.other].element, this.box.stage, this.seats[game.side].element),
        make("div", { class: "beside card-box" }, this.status, this.lastMove, this.box.caption,
          make("div", { class: "actions" }, Object.values(this.buttons)), this.hintBox, before, this.box.side,
          make("h2", {}, "Moves"), this.history)));
    const ticking = setInterval(() => this.tick(), TICK_MS);
    const keep = () => this.charge();
    addEventListener("pagehide", keep);
    page.signal.addEventListener("abort", () => {
      clearInterval(ticking);
      removeEventListener("pagehide", keep);
      this.charge();
    });
    return this.settle();
  }

  ask(request) {
    return this.page.engine.ask(request, this.page.signal);
  }

  look(moves, viewer = this.game.side) {
    const position = { ...positionOf(this.game), moves };
    return this.ask({ ask: "view", position, viewer });
  }

  // Returns the words and the path of a move from the choices, or its notation if the choices do not list it.
  known(notation, { choices }) {
    const found = choices.find((choice) => choice.notation === notation);
    return { words: found?.words ?? notation, path: found?.path ?? [] };
  }

  // Shows the position, and lets the player to move act.
  async settle(seen) {
    const { game } = this;
    const number = ++this.turnNumber;
    try {
      this.seen = seen ?? await this.look(game.moves);
      game.moves = this.seen.moves;
      save(game);
      this.draw();
      if (game.over || this.seen.end) return;
      if (this.seen.turn === game.side) {
        game.clocks ??= {};
        game.clocks[game.moves.length] ??= [...game.left];
        save(game);
        this.since = performance.now();
        return;
      }
      const agentMove = await this.think();
      if (number !== this.turnNumber) return;
      const [next, theirs] = await Promise.all([
        this.look([...game.moves, agentMove]), this.look(game.moves, this.other),
      ]);
      if (number !== this.turnNumber) return;
      this.last = { who: game.agent, ...this.known(agentMove, theirs.view) };
      await this.settle(next);
    } catch (error) {
      this.page.fail(error);
      // The queue of the engine may be full.
      const again = () => { this.page.clearError(); this.settle(); };
      if (error.name !== "AbortError") this.hintBox.replaceChildren(button("Try again", again, { id: "again" }));
    }
  }

  async think() {
    const { game, other } = this;
    const { time } = game;
    const timed = time.kind === "nodes" ? { nodes: time.nodes } : { time, left: game.left[other] };
    const request = { ask: "think", position: positionOf(game), agent: game.agent, seed: game.beginning.seed ?? 0, ...timed };
    this.thinking = new AbortController();
    const answer = await this.page.engine.ask(request, AbortSignal.any([this.page.signal, this.thinking.signal]));
    if (time.kind === "clock") game.left[other] += (time.increment ?? 0) - answer.seconds;
    return answer.move;
  }

  async play(notation) {
    const { game, seen } = this;
    if (game.over || seen.end || seen.turn !== game.side) return;
    this.page.clearError();
    const number = this.turnNumber;
    try {
      const next = await this.look([...game.moves, notation]);
      if (number !== this.turnNumber || game.over) return;
      this.charge(true);
      this.hints = [];
      this.last = { who: "You", ...this.known(notation, seen.view) };
      await this.settle(next);
    } catch (error) {
      this.page.fail(error);
    }
  }

  // Deducts the thinking time from the person's clock.
  charge(hasMoved = false) {
    const { game } = this;
    if (this.since === null) return;
    if (game.time.kind !== "nodes") {
      game.left[game.side] -= (performance.now() - this.since) / 1000;
      if (hasMoved) game.left[game.side] = game.time.kind === "clock" ? game.left[game.side] + (game.time.increment ?? 0) : game.time.seconds;
    }
    this.since = hasMoved ? null : performance.now();
    save(game);
  }

  tick() {
    const { game } = this;
    if (game.time.kind === "nodes") return;
    const used = this.since === null ? 0 : (performance.now() - this.since) / 1000;
    for (const side of [0, 1]) {
      const left = game.left[side] - (side === game.side ? used : 0);
      this.seats[side].clock.textContent = clockText(left);
      if (side === game.side && left <= 0 && this.since !== null && !game.over) this.end("ran out of time");
    }
  }

  // Discards all pending answers.
  interrupt() {
    this.turnNumber++;
    this.thinking?.abort();
  }

  end(how) {
    const { game } = this;
    this.charge();
    this.since = null;
    game.over = how;
    this.interrupt();
    save(game);
    this.draw();
  }

  draw() {
    const { game, seen, about } = this;
    const isOver = Boolean(game.over || seen.end);
    const view = isOver ? { ...seen.view, choices: [] } : seen.view;
    this.box.draw(view, this.box.view, this.last?.path);
    if (isOver) this.since = null;
    const status = this.statusText();
    this.status.textContent = status;
    this.lastMove.textContent = this.last ? `${this.last.who}: ${this.last.words}` : "";
    this.page.say([this.lastMove.textContent, status, view.caption].filter(Boolean).join(" "));
    this.seats.forEach(({ element }, side) => element.classList.toggle("to-move", !isOver && seen.turn === side));
    this.history.replaceChildren(...game.moves.map((move) => make("li", {}, move)));
    this.history.scrollTop = this.history.scrollHeight;
    const isMine = !isOver && seen.turn === game.side;
    this.buttons.hint.hidden = this.buttons.resign.hidden = isOver;
    this.buttons.hint.disabled = !isMine;
    this.buttons.rematch.hidden = !isOver;
    this.buttons.review.hidden = !isOver;
    this.buttons.back.disabled = game.moves.length <= (game.opening?.length ?? 0) && game.over !== RESIGNED;
    this.drawHints();
    this.tick();
    document.title = `${about.title} · ${status} · turnwise`;
  }

  statusText() {
    const { game, seen, about } = this;
    if (game.over) return `You ${game.over}. ${game.agent} wins.`;
    if (!seen.end) return seen.turn === game.side ? "Your move." : `${game.agent} is thinking.`;
    const { score } = seen.end;
    const result = endText(about, seen.end);
    if (!about.is_won || score === 0.5) return `The game is over. ${result}.`;
    return `${(score === 1) === (game.side === 0) ? "You win" : "You lose"}. ${result}.`;
  }

  // Goes back to the person's last turn, including the clocks at that time. A resignation is withdrawn.
  async takeBack() {
    const { game } = this;
    this.page.clearError();
    if (game.over === RESIGNED) {
      game.over = null;
      return this.settle();
    }
    this.charge();
    this.since = null;
    this.interrupt();
    this.hints = [];
    this.last = null;
    const number = this.turnNumber;
    try {
      for (let kept = game.moves.length - 1; kept >= (game.opening?.length ?? 0); kept--) {
        const seen = await this.look(game.moves.slice(0, kept));
        if (number !== this.turnNumber) return;
        if (seen.turn !== game.side) continue;
        game.over = null;
        game.left = [...game.clocks?.[kept] ?? game.left];
        for (const later of Object.keys(game.clocks ?? {})) if (later > kept) delete game.clocks[later];
        return await this.settle(seen);
      }
      await this.settle();
    } catch (error) {
      this.page.fail(error);
    }
  }

  async hint() {
    const number = this.turnNumber;
    this.buttons.hint.disabled = true;
    this.hintBox.replaceChildren(make("p", {}, "Looking for the best moves…"));
    try {
      const studied = await this.ask({
        ask: "study", position: positionOf(this.game), top: HINTS, nodes: HINT_NODES, seconds: HINT_SECONDS,
      });
      if (number === this.turnNumber) this.hints = studied.lines;
    } catch (error) {
      this.page.fail(error);
    }
    this.buttons.hint.disabled = false;
    this.drawHints();
  }

  drawHints() {
    const { choices } = this.seen.view;
    const known = (line) => choices.find(({ notation }) => notation === line.moves[0]);
    this.hintBox.replaceChildren(...this.hints.map((line) => {
      const words = known(line)?.words ?? line.moves[0];
      return button(`${words} (${lineValue(this.about, line)})`, () => this.play(line.moves[0]), { class: "hint-move" });
    }));
    if (!this.hints.length) return;
    this.page.say(this.hintBox.textContent);
    const best = known(this.hints[0]);
    this.box.mark([best?.from, best?.to].filter((cell) => Number.isInteger(cell)).map((cell) => [cell, "hinted"]));
  }

  resign() {
    const really = button("Really resign", () => { this.hintBox.replaceChildren(); this.end(RESIGNED); }, { id: "really-resign" });
    this.hintBox.replaceChildren(really, button("Play on", () => { this.hintBox.replaceChildren(); this.buttons.resign.focus(); }));
    really.focus();
  }

  // Starts the same beginning with the same luck, from the other side.
  rematch() {
    const { game, about, seen } = this;
    const score = seen.end && !about.is_won ? ` ${about.roles[0]}'s score was ${points(seen.end.score)}.` : "";
    const before = `A rematch: you were ${about.roles[game.side]} before.${score}`;
    const next = newGame({ ...game, about, side: this.other, before });
    save(next);
    location.hash = `#/play/${next.id}`;
  }

  link() {
    return `#/analysis?position=${packed(positionOf(this.game))}`;
  }

  address() {
    return `${location.href.split("#")[0]}${this.link()}`;
  }
}
