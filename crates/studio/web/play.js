// The table of a game, and a game of a person against an agent. This browser stores the whole game; the server only
// returns views of positions and the agent's moves.
import { markerOf, seatOf } from "./board.js";
import { bar } from "./cards.js";
import { button, make, movesList, rowsOf, showDialog } from "./dom.js";
import { evaluationBar, progressText } from "./evaluation.js";
import { newGame } from "./setup.js";
import { sound, soundButton } from "./sound.js";
import { stepOf } from "./steps.js";
import { load, save } from "./store.js";
import { ViewBox } from "./view.js";
import { clockText, endText, lineValue, marginText, opponentOf, packed, points, scoreText, winnerOf } from "./words.js";

const HINTS = 3;
// The number of moves that the line of a hint shows at most.
const MOST_FURTHER = 4;
const HINT_NODES = 200000;
const HINT_SECONDS = 2;
const EXPECTED_NODES = 20000;
const TICK_MS = 100;
const LOW_SECONDS = 10;
// The width of a window with one column, in pixels.
const NARROW = 820;
// The time in which the person can read a forced move before the page plays it.
export const FORCED_MS = 900;
// The time in which the person can read news before the opponent moves.
const NEWS_MS = 1500;
const RESIGNED = "resigned";
// The keys of the table with their actions.
const KEYS = [
  ["← →", "Previous or next position; Home and End: first and current position"],
  ["1–9", "Play a numbered choice"],
  ["Esc", "Cancel the selection"],
  ["h", "Hint"], ["u", "Take back"], ["f", "Flip the board"], ["?", "Show this list"],
];

export const positionOf = ({ game, settings, beginning, moves }) => ({ game, settings, beginning, moves });

export const open = (page) => {
  const game = load(page.path[0]);
  if (!game) return page.missing("This browser does not know that game.", "#/play", "Begin another");
  return new Match(page, game).begin();
};

// Returns true if the rules leave one move, which needs no board or card to be shown.
export const isForced = ({ end, view: { choices } }) => !end && choices.length === 1 && choices[0].to === null && !choices[0].card;

// A game at the table. A match against a friend overrides the methods that get and send moves.
export class Match {
  constructor(page, game) {
    Object.assign(this, { page, game, seen: null, hints: [], since: null, turnNumber: 0, peeks: 0 });
    this.about = page.games.find(({ name }) => name === game.game);
    // The moves in words, with their cells, as far as this browser saw them.
    game.notes ??= [];
    this.box = new ViewBox(this.about, (notation) => this.play(notation), (show) => this.advise(show));
    this.box.viewer = game.side;
    this.seats = [0, 1].map((side) => this.seat(side));
    this.status = make("p", { class: "status", id: "status" });
    this.factor = make("p", { class: "factor", id: "factor" });
    this.lastMove = make("p", { class: "muted", id: "last-move" });
    this.turn = make("section", { class: "turn", "aria-label": "State of the game" }, this.status, this.factor, this.lastMove, this.box.caption);
    this.now = button("Back to the current position", () => this.draw(), { id: "now", class: "main", hidden: true });
    this.hintBox = make("div", { class: "hints" });
    this.history = movesList();
    this.buttons = this.makeButtons();
  }

  makeButtons() {
    const { game } = this;
    const buttons = {
      hint: button("Hint", () => this.hint(), { id: "hint" }),
      back: button("Take back", () => this.takeBack(), { id: "take-back" }),
      resign: button("Resign", () => this.resign(), { id: "resign" }),
      rematch: button(winnerOf(this.about, 0) === undefined ? "Swap sides" : "Rematch", () => this.rematch(), { id: "rematch", class: "main" }),
      review: button("Review", () => { location.hash = `#/review?game=${game.id}`; }, { id: "review" }),
    };
    buttons.rematch.title = "The same luck with sides swapped";
    return buttons;
  }

  drawButtons(isOver, isMine) {
    const { buttons, game } = this;
    buttons.hint.hidden = buttons.resign.hidden = isOver;
    buttons.hint.disabled = !isMine;
    buttons.rematch.hidden = buttons.review.hidden = !isOver;
    buttons.back.disabled = game.moves.length <= (game.opening?.length ?? 0) && game.over !== RESIGNED;
  }

  get other() { return 1 - this.game.side; }

  get last() { return this.game.notes[this.game.moves.length - 1]; }

  nameOf(side) { return side === this.game.side ? "You" : opponentOf(this.game); }

  seat(side) {
    const seat = seatOf(this.about, side, this.nameOf(side));
    seat.element.classList.toggle("own", side === this.game.side);
    return seat;
  }

  begin() {
    this.build();
    const { page } = this;
    const keep = () => this.charge();
    addEventListener("pagehide", keep, { signal: page.signal });
    page.signal.addEventListener("abort", () => {
      clearTimeout(this.forced);
      this.charge();
    });
    return this.settle();
  }

  showKeys() {
    showDialog("Keys", { id: "keys" }, make("h2", {}, "Keys"), make("table", { class: "lines" }, make("tbody", {}, rowsOf(KEYS))));
  }

  key(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, textarea, select, dialog")) return;
    const press = (node) => node?.offsetParent && node.click();
    const act = {
      Escape: () => this.box.cancel(), h: () => press(this.buttons.hint), u: () => press(this.buttons.back), f: () => press(this.flipButton), "?": () => this.showKeys(),
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), Home: () => this.peek(0), End: () => this.peek(this.game.moves.length),
    }[key] ?? (/^[1-9]$/.test(key) ? () => press(this.box.choices.querySelector(`[aria-keyshortcuts="${key}"]`)) : null);
    if (!act) return;
    event.preventDefault();
    act();
  }

  // Shows the position some moves before or after the shown one.
  step(moves) {
    const to = this.at + moves;
    if (to >= 0 && to <= this.game.moves.length) this.peek(to);
  }

  // Puts the table on the page.
  build() {
    const { page, game, buttons, box, about } = this;
    const before = game.before ? make("p", { class: "muted" }, game.before) : null;
    this.places = { top: make("div", { class: "top" }), below: make("div", { class: "below" }), turn: make("div"), choices: make("div") };
    this.links = make("div", { class: "actions" }, button("Analyse", () => { location.hash = this.link(); }, { id: "analyse" }),
      button("Copy link", () => page.copy(this.address(), "The link to this position"), { id: "link" }));
    this.flipButton = button("Flip", () => this.box.flip(), { id: "flip", title: "Show the board from the other side (f)" });
    this.table = make("div", { class: "table" },
      make("div", { class: "stage" }, this.seats[this.other].element, this.places.top, box.stage, this.seats[game.side].element, this.places.below),
      make("div", { class: "beside card-box" }, this.now, this.places.turn, box.stock,
        make("div", { class: "actions thumb" }, Object.values(buttons)), this.hintBox, this.places.choices, before, box.scoring, box.facts,
        make("div", { class: "heading" }, make("h2", {}, "Moves"), button("‹", () => this.step(-1), { id: "earlier", title: "Previous position (left arrow)", "aria-label": "Previous position" }),
          button("›", () => this.step(1), { id: "later", title: "Next position (right arrow)", "aria-label": "Next position" })), this.history, box.further, this.links,
        make("div", { class: "actions" }, soundButton(), this.flipButton, button("Keys", () => this.showKeys(), { class: "keys", title: "The keys of the table (?)" }),
          about.has_rules ? make("a", { class: "plain", href: `#/rules?game=${about.name}` }, "Rules") : null)));
    page.root.append(make("h1", { class: "unseen" }, `${about.title}: ${this.nameOf(game.side)} against ${this.nameOf(this.other)}`), this.table);
    const ticking = setInterval(() => this.tick(), TICK_MS);
    page.signal.addEventListener("abort", () => clearInterval(ticking));
    addEventListener("resize", () => this.box.view && this.place(), { signal: page.signal });
    addEventListener("keydown", (event) => this.key(event), { signal: page.signal });
    // A click on the board leaves the focus where it is, so that the arrow keys still step through the game.
    box.boardBox.addEventListener("mousedown", (event) => event.preventDefault());
  }

  // Stores the game in this browser.
  keep() { save(this.game); }

  ask(request) {
    return this.page.engine.ask(request, this.page.signal);
  }

  look(moves, viewer = this.game.side) {
    const position = { ...positionOf(this.game), moves };
    return this.ask({ ask: "view", position, viewer });
  }

  // Stores a move in words, with its cells, if the choices list it.
  note(side, notation, { choices }) {
    const { words = notation, from = null, to = null, path = [] } = choices.find((choice) => choice.notation === notation) ?? {};
    this.game.notes[this.game.moves.length] = { side, words, from, to, path };
  }

  // Shows the move that the strongest agent would choose.
  async advise(show) {
    const request = { ask: "think", position: positionOf(this.game), agent: this.about.agents[0], nodes: HINT_NODES, seed: 0 };
    try {
      show((await this.ask(request)).move);
    } catch {
      // The table works without a suggestion.
    }
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
      const { news } = this.seen.view;
      const isFresh = news && news !== this.news;
      this.news = news;
      if (game.over || this.seen.end) return;
      if (this.seen.turn === game.side) {
        game.clocks ??= {};
        game.clocks[game.moves.length] ??= [...game.left];
        save(game);
        this.since = performance.now();
        if (isForced(this.seen)) this.forced = setTimeout(() => this.play(this.seen.view.choices[0].notation), FORCED_MS);
        return;
      }
      if (isFresh) await new Promise((resolve) => setTimeout(resolve, NEWS_MS));
      if (number !== this.turnNumber || this.page.signal.aborted) return;
      const agentMove = await this.think();
      if (number !== this.turnNumber) return;
      const [next, theirs] = await Promise.all([
        this.look([...game.moves, agentMove]), this.look(game.moves, this.other),
      ]);
      if (number !== this.turnNumber) return;
      this.note(this.other, agentMove, theirs.view);
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
    const request = { ask: "think", position: positionOf(game), agent: game.agent, level: game.level ?? null, seed: game.beginning.seed ?? 0, ...timed };
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
      this.note(game.side, notation, seen.view);
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

  // Returns the time on a side's clock, in seconds.
  leftOf(side) {
    const { game, since } = this;
    return game.left[side] - (side === this.seen?.turn && since !== null ? (performance.now() - since) / 1000 : 0);
  }

  tick() {
    const { game } = this;
    if (game.time.kind === "nodes") return;
    for (const side of [0, 1]) {
      const left = this.leftOf(side);
      const { clock } = this.seats[side];
      const isLow = left < LOW_SECONDS && game.time.seconds > 2 * LOW_SECONDS;
      clock.textContent = clockText(left);
      if (isLow && !clock.classList.contains("low") && side === game.side && this.since !== null) sound("low");
      clock.classList.toggle("low", isLow);
      if (side === game.side && left <= 0 && this.since !== null && !game.over) this.timeOut();
    }
  }

  timeOut() { this.end("ran out of time"); }

  // Discards all pending answers.
  interrupt() {
    this.turnNumber++;
    clearTimeout(this.forced);
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
    // A move that is taken back earns nothing.
    const before = game.moves.length < this.drawn ? null : this.drawnView;
    Object.assign(this, { drawn: game.moves.length, drawnView: view, peeks: this.peeks + 1, at: game.moves.length });
    this.box.draw(view, before, this.last);
    this.now.hidden = true;
    this.flipButton.hidden = !view.grid;
    this.place();
    if (isOver) this.since = null;
    const status = this.statusText();
    this.status.textContent = status;
    this.factor.textContent = isOver ? this.factorText() : "";
    this.factor.hidden = !isOver;
    if (seen.end) this.expect();
    this.turn.classList.toggle("over", isOver);
    const last = this.lastText();
    this.lastMove.textContent = isOver ? "" : last;
    this.box.caption.hidden = isOver;
    // The seats show the rest.
    if (view.standings?.length) this.box.caption.textContent = view.caption.match(/^.*?[.](?= |$)/)?.[0] ?? view.caption;
    const news = view.news !== before?.news ? view.news : null;
    this.page.say([last, news, status, isOver ? this.factor.textContent : view.caption].filter(Boolean).join(" "));
    this.seats.forEach(({ element }, side) => element.classList.toggle("to-move", !isOver && seen.turn === side));
    this.drawStandings(view);
    this.drawHistory();
    this.drawButtons(isOver, !isOver && seen.turn === game.side);
    this.drawHints();
    this.tick();
    if (isOver && game.result !== status) {
      game.result = status;
      this.keep();
    }
    this.sound(before, view, isOver);
    document.title = `${about.title} · ${status} · turnwise`;
  }

  drawStandings({ standings }) {
    this.seats.forEach(({ standing }, side) => {
      const { text = "", progress = null } = standings?.[side] ?? {};
      standing.replaceChildren(text, ...progress === null ? [] : [bar(progress)]);
    });
  }

  // Places the state of the game and the choices. At a table of cards, a wide window shows the choices below the cards,
  // and a narrow window shows the state above the cards.
  place() {
    const isWide = !this.box.view.grid;
    const isNarrow = innerWidth <= NARROW;
    this.table.classList.toggle("wide", isWide);
    this.places[isWide && isNarrow ? "top" : "turn"].append(this.turn);
    this.places[isWide && !isNarrow ? "below" : "choices"].append(this.box.choices);
  }

  // Describes the last move, and also the move before it if the rules forced the person to answer.
  lastText() {
    const { game, last, seen } = this;
    const before = game.notes[game.moves.length - 2];
    const isAnswer = last?.side === game.side && seen.turn === game.side && before?.side === this.other;
    return [isAnswer ? before : null, last].filter(Boolean).map(({ side, words }) => `${this.nameOf(side)}: ${words}`).join(". ").replace("?.", "?");
  }

  sound(before, view, isOver) {
    const wasOver = this.wasOver;
    this.wasOver = isOver;
    if (!before || before === view) return;
    const scored = (of) => (of.grid?.scoring ?? []).reduce((sum, { points }) => sum + points, 0);
    if (isOver && !wasOver) sound("end");
    else if (scored(view) > scored(before)) sound("score");
    else if (!isOver) sound("move");
  }

  // Lists the moves in two columns: in words, and in the game's notation.
  drawHistory() {
    const { game, about } = this;
    this.history.replaceChildren(...game.moves.map((move, at) => {
      const note = game.notes[at];
      const [words, notation] = !note ? ["", move] : note.words === move ? [move, ""] : [note.words, move];
      const who = note ? [markerOf(about, note.side), make("span", { class: "unseen" }, `${this.nameOf(note.side)}: `)] : make("span");
      return stepOf(who, words, make("code", {}, notation), () => this.peek(at + 1));
    }));
    this.history.scrollTop = this.history.scrollHeight;
  }

  // Returns the view after a number of moves.
  async past(moves) { return (await this.look(this.game.moves.slice(0, moves))).view; }

  // Shows an earlier position until the next move.
  async peek(moves) {
    const { game } = this;
    this.at = moves;
    if (moves === game.moves.length) return this.draw();
    await this.showOther(() => this.past(moves), `After move ${moves} of ${game.moves.length}`, null, game.notes[moves - 1]);
    [...this.history.children].forEach((item, at) => item.firstChild.setAttribute("aria-pressed", String(at + 1 === moves)));
    this.history.children[moves - 1]?.scrollIntoView({ block: "nearest" });
  }

  // Shows the position after the moves of a line, without the luck that comes with them.
  walk(moves) {
    const look = async () => ({ ...(await this.look([...this.game.moves, ...moves])).view, hand: null, stock: [], caption: "", news: null });
    return this.showOther(look, `If ${moves.join(", ")}`, this.seen.view);
  }

  // Shows another position than the current one, with its changes from the view `before`.
  async showOther(look, title, before, move) {
    const { box } = this;
    const number = ++this.peeks;
    try {
      const view = await look();
      if (number !== this.peeks) return;
      box.draw({ ...view, choices: [], amount: null }, before, move);
      this.drawStandings(view);
      this.now.hidden = false;
      if (this.buttons.hint) this.buttons.hint.disabled = true;
      this.status.textContent = title;
      this.lastMove.textContent = this.factor.textContent = "";
      this.page.say(`${title}. ${view.caption}`);
      box.stage.scrollIntoView({ block: "nearest" });
    } catch (error) {
      this.page.fail(error);
    }
  }

  statusText() {
    const { game, seen, about } = this;
    if (game.over) return `You ${game.over}. ${opponentOf(game)} wins.`;
    if (!seen.end && seen.turn !== game.side) return `${opponentOf(game)} is thinking.`;
    if (!seen.end) return isForced(seen) ? `Forced: you ${seen.view.choices[0].words}.` : "Your move.";
    const { score } = seen.end;
    const winner = winnerOf(about, score);
    if (winner === null) return `The game is over. ${endText(about, seen.end)}.`;
    if (winner !== undefined) return `You ${winner === game.side ? "win" : "lose"}${marginText(about, seen.end)}.`;
    return game.side === 0 ? `You scored ${points(score)} points.` : `You held ${about.roles[0]} to ${points(score)} points.`;
  }

  get names() { return [0, 1].map((side) => this.nameOf(side)); }

  // Asks for the result that the strongest play of both sides gives, if games differ in it.
  async expect() {
    const { game, about } = this;
    if (about.is_won || game.isFriend || game.expected !== undefined || this.isExpecting) return;
    this.isExpecting = true;
    const position = { ...positionOf(game), moves: game.opening ?? [] };
    try {
      const { lines: [line] } = await this.ask({ ask: "study", position, top: 1, nodes: EXPECTED_NODES, seconds: HINT_SECONDS });
      game.expected = line.score;
      this.keep();
      if (this.at === game.moves.length) this.factor.textContent = this.factorText();
    } catch {
      // The result is clear without it.
    }
  }

  // Describes what decided the game.
  factorText() {
    const { game, seen, about } = this;
    const { grid, standings = [], panels } = seen.view;
    const runs = grid?.scoring ?? [];
    const best = runs.reduce((most, run) => run.points > most.points ? run : most, { points: 0, cells: [] });
    const letters = best.cells.map((cell) => [...grid.letters][cell]).join("");
    const standing = standings.map(({ text }, side) => text && `${this.nameOf(side)}: ${text}.`);
    const notes = panels.map(({ slots, title, note }) => slots && note && `${title}: ${note}.`);
    const both = !seen.end || winnerOf(about, seen.end.score) !== undefined ? null
      : game.earlier === null ? `Now swap sides: ${game.side === 0 ? `hold ${about.roles[0]} below` : "score more than"} ${points(seen.end.score)} points to win both games together.`
        : this.bothText((game.side === 0 ? 1 : -1) * (seen.end.score - game.earlier));
    const expected = Number.isFinite(game.expected) && seen.end ? `With full strength on both sides: ${scoreText(about, game.expected, this.names)}.` : null;
    return (runs.length ? [`${runs.length} groups score; the best, ${letters}, scores ${best.points} points.`, expected, both]
      : [...notes.some(Boolean) ? notes : standing, expected, both]).filter(Boolean).join(" ");
  }

  // Compares the scores of this game and of the game before the rematch.
  bothText(lead) {
    if (lead === 0) return "Both games together are a draw.";
    return `${lead > 0 ? "You win" : "You lose"} both games together by ${points(Math.abs(lead))} points.`;
  }

  // Goes back to the person's last turn, including the clocks at that time. A resignation is withdrawn.
  async takeBack() {
    const { game } = this;
    this.page.clearError();
    if (game.over === RESIGNED) {
      game.over = game.result = null;
      return this.settle();
    }
    this.charge();
    this.since = null;
    this.interrupt();
    this.hints = [];
    const number = this.turnNumber;
    try {
      for (let kept = game.moves.length - 1; kept >= (game.opening?.length ?? 0); kept--) {
        const seen = await this.look(game.moves.slice(0, kept));
        if (number !== this.turnNumber) return;
        if (seen.turn !== game.side || isForced(seen)) continue;
        game.over = null;
        game.result = null;
        game.notes.length = Math.min(game.notes.length, kept);
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
    const request = { ask: "study", position: positionOf(this.game), top: HINTS, nodes: HINT_NODES, seconds: HINT_SECONDS };
    const grown = (studied) => {
      if (number !== this.turnNumber) return;
      this.hints = studied.lines;
      this.searched = studied;
      this.drawHints();
    };
    let studied = null;
    try {
      studied = await this.page.engine.grow(request, grown, this.page.signal);
    } catch (error) {
      this.page.fail(error);
    }
    if (number !== this.turnNumber) return;
    this.buttons.hint.disabled = false;
    if (!studied) return this.drawHints();
    grown(studied);
    if (!this.hints.length) return;
    this.page.say(this.hintBox.textContent);
    this.hintBox.scrollIntoView({ block: "nearest" });
  }

  // Shows the best moves on the board, the best move in words, and all lines below "More". The first move of a line is
  // played, the others are only shown. During the search, the lines are drawn anew and cannot be clicked: a click must not
  // meet another move.
  drawHints() {
    const { about, hints, searched } = this;
    this.box.suggest(hints.map(({ moves }) => moves[0]));
    if (!hints.length) return this.hintBox.replaceChildren();
    const { choices } = this.seen.view;
    const { disabled } = this.buttons.hint;
    const [first] = hints;
    const choiceOf = ({ moves: [move] }) => choices.find(({ notation }) => notation === move) ?? { words: move };
    const row = (line, rank) => {
      const { words } = choiceOf(line);
      const further = line.moves.slice(1, MOST_FURTHER).map((move, at) =>
        button(move, () => this.walk(line.moves.slice(0, at + 2)), { title: "Show the position after this move", disabled }));
      return make("div", { class: "hint-line" },
        button(`${rank + 1}. ${words} (${lineValue(about, line, this.names)})`, () => this.play(line.moves[0]), { class: "hint-move", disabled }), further);
    };
    const { group, label, words } = choiceOf(first);
    const best = group ? words : label ?? words;
    const isOpen = this.hintBox.querySelector("details")?.open ?? false;
    this.hintBox.replaceChildren(evaluationBar(about, first, this.names), button(`Best: ${best}`, () => this.play(first.moves[0]), { class: "hint-move", id: "best", disabled }),
      make("details", { open: isOpen }, make("summary", {}, "More"), make("p", { class: "muted", id: "searched" }, progressText(searched)), hints.map(row)));
  }

  resign() {
    const really = button("Really resign", () => { this.hintBox.replaceChildren(); this.giveUp(); }, { id: "really-resign" });
    this.hintBox.replaceChildren(really, button("Play on", () => { this.hintBox.replaceChildren(); this.buttons.resign.focus(); }));
    really.focus();
  }

  giveUp() { this.end(RESIGNED); }

  // Starts the same beginning with the same luck, from the other side.
  rematch() {
    const { game, about, seen } = this;
    const score = seen.end ? ` ${endText(about, seen.end)}.` : "";
    const before = `Rematch: last time, you played ${about.roles[game.side]}.${score}`;
    const earlier = seen.end ? seen.end.score : null;
    const next = newGame({ ...game, about, side: this.other, before, earlier });
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
