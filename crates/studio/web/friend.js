// A match between two people at two browsers. The server plays it; this page shows the server's events and sends moves.
import { button, make } from "./dom.js";
import { send } from "./http.js";
import { FORCED_MS, Match, isForced } from "./play.js";
import { field } from "./setup.js";
import { save } from "./store.js";
import { watch } from "./stream.js";
import { endText } from "./words.js";

const LOCAL = /^(localhost|127\.|\[::1\])/;
const NAME = "turnwise.name";
const LONGEST_NAME = 24;

// Creates a field for the person's name, which the browser remembers; `changed(name)` is called for another name.
const nameField = (changed) => {
  const input = make("input", { type: "text", name: "name", maxlength: LONGEST_NAME, autocomplete: "nickname", input: () => {
    try {
      localStorage.setItem(NAME, input.value);
    } catch {
      // Without storage, the person types the name again.
    }
    changed?.(input.value);
  } });
  try {
    input.value = localStorage.getItem(NAME) ?? "";
  } catch {
    // Nothing is remembered.
  }
  return input;
};

export const open = async (page) => {
  const [id, invitation = null] = page.path;
  const path = `api/matches/${encodeURIComponent(id)}`;
  const left = new AbortController();
  const signal = AbortSignal.any([page.signal, left.signal]);
  let [side, game] = [null, null];
  const join = async (wanted) => {
    try {
      ({ side, game = game } = await send(`${path}/join`, wanted, signal));
    } catch (error) {
      page.fail(error);
      if (error.status !== 404) return;
      left.abort();
      page.clearError();
      page.root.replaceChildren();
      page.missing(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
    }
  };
  await join({ invitation: null });
  if (side === null && invitation && !signal.aborted) {
    const name = nameField();
    await new Promise((done) => page.root.append(make("form", { class: "card-box setup", id: "joining", submit: async (event) => {
      event.preventDefault();
      event.target.remove();
      await join({ invitation, name: name.value });
      done();
    } }, make("h1", {}, `${titleOf(page, game)} with a friend`), field("Your name", name, "The game begins when you press \"Play\"."),
    make("div", { class: "actions" }, make("button", { type: "submit", class: "main" }, "Play")))));
  }
  if (signal.aborted) return;
  // The invitation is used up, and the address without it is the link for spectators.
  history.replaceState(null, "", `#/match/${id}`);
  let [match, conditions, waiting] = [null, null, null];
  // A browser that takes a seat needs another stream than as a spectator.
  watch(`${path}/events?side=${side}`, (name, data) => {
    if (name === "lost") {
      if (data) join({ invitation: null });
    } else if (name !== "closed") {
      conditions ??= data;
      if (data.phase === "waiting") {
        if (!waiting) page.root.append(waiting = waitingBox(page, conditions, (name) => join({ invitation: null, name })));
        return;
      }
      waiting?.remove();
      match ??= new FriendMatch({ ...page, signal }, id, side, { ...conditions, ...data });
      match.take(data);
    }
  }, signal);
};

const titleOf = (page, game) => page.games.find(({ name }) => name === game)?.title ?? game;

// Returns what a page shows until the game begins: to the host, the link that takes the guest's seat.
const waitingBox = (page, { game, host, link: watching, invitation }, call) => {
  const box = make("div", { class: "card-box setup", id: "waiting" }, make("h1", {}, `${titleOf(page, game)} with a friend`));
  if (!invitation) {
    box.append(make("p", {}, "The game begins when the guest arrives."));
    return box;
  }
  const link = `${watching}/${invitation}`;
  const shown = make("input", { type: "text", readonly: true, value: link, id: "invitation", "aria-label": "The link for your friend", focus: () => shown.select() });
  const name = nameField(call);
  if (name.value) call(name.value);
  const { roles } = page.games.find(({ name }) => name === game);
  box.append(make("p", {}, `Send this link to your friend, who plays ${roles[1 - host]}. The game begins when your friend opens it and presses "Play".`),
    shown, make("div", { class: "actions" }, button("Copy link", () => page.copy(link, "The link for your friend"), { class: "main", id: "copy-invitation" })),
    field("Your name", name), ...LOCAL.test(new URL(link).hostname) ? [make("p", { class: "muted" },
      "Only browsers on this machine can open this link. To let other machines in the network open it, start the studio with ", make("code", {}, `--listen 0.0.0.0:${location.port}`), ".")] : []);
  return box;
};

class FriendMatch extends Match {
  constructor(page, id, side, { game, settings, time, names, link }) {
    const isWatching = side === null;
    super(page, {
      id, game, settings, time, side: side ?? 0, names, isWatching, isFriend: true, agent: names[1 - (side ?? 0)],
      moves: [], left: [null, null], over: null, earlier: null,
    });
    Object.assign(this, { path: `api/matches/${id}`, watching: link, views: [] });
    this.build();
  }

  makeButtons() {
    const { resign, rematch, review } = super.makeButtons();
    rematch.title = "";
    const watch = button("Copy link for spectators", () => this.page.copy(this.watching, "The link for spectators"), { id: "watch" });
    return { resign, watch, rematch, review };
  }

  drawButtons(isOver, isMine) {
    const { buttons, game, seen } = this;
    buttons.resign.hidden = isOver || game.isWatching;
    buttons.resign.disabled = !isMine;
    buttons.watch.hidden = isOver;
    buttons.rematch.hidden = buttons.review.hidden = !seen.end || game.isWatching;
    this.links.hidden = !seen.end;
  }

  nameOf(side) { return side === this.game.side && !this.game.isWatching ? "You" : this.game.names[side]; }

  // No engine helps the players.
  advise() {}

  // Shows an event of the server.
  take(told) {
    const { game } = this;
    const isNew = game.moves.length !== told.moves.length + told.known || told.phase !== this.phase || told.turn !== this.seen?.turn;
    const { phase, here, note } = told;
    Object.assign(this, { phase, here, note, seen: { turn: told.turn, view: told.view, end: told.end } });
    game.notes.length = Math.min(told.known, game.notes.length);
    game.notes.push(...told.moves);
    game.moves = game.notes.map(({ move }) => move);
    game.left = told.left;
    this.views[game.moves.length] = told.view;
    game.over = phase === "over" && !told.end ? note : null;
    if (told.end) game.beginning = { logged: told.end.result };
    this.since = told.turn === null ? null : performance.now() - 1000 * told.used;
    if (isNew) {
      clearTimeout(this.forced);
      this.draw();
      this.keep();
      if (this.isMine() && isForced(this.seen)) this.forced = setTimeout(() => this.play(told.view.choices[0].notation), FORCED_MS);
    }
    this.status.textContent = this.statusText();
    this.tick();
  }

  keep() { if (!this.game.isWatching) save(this.game); }

  // Before the end, this page knows the positions that it has received.
  async past(moves) {
    if (this.seen.end) return super.past(moves);
    if (!this.views[moves]) throw new Error("This page did not receive that position; you can see it after the game.");
    return this.views[moves];
  }

  isMine() { return !this.game.isWatching && this.seen.turn === this.game.side; }

  // The server measures the time.
  timeOut() {}

  play(notation) { return this.isMine() ? this.act({ play: notation }) : null; }

  giveUp() { return this.act("resign"); }

  async act(act) {
    const { page, path, game } = this;
    page.clearError();
    try {
      await send(`${path}/act`, { ply: game.moves.length, act }, page.signal);
    } catch (error) {
      // After a conflict, for example with another window, an event shows the present position.
      if (error.status !== 409) page.fail(error);
    }
  }

  // Both players press the button: the first creates a match with the sides swapped, and the second takes the other seat.
  async rematch() {
    this.page.clearError();
    try {
      const { id, invitation } = await send(`${this.path}/rematch`, {}, this.page.signal);
      if (invitation) await send(`api/matches/${id}/join`, { invitation }, this.page.signal);
      location.hash = `#/match/${id}`;
    } catch (error) {
      this.page.fail(error);
    }
  }

  statusText() {
    const { seen: { end, turn }, game, about, here, phase } = this;
    const wins = (side) => this.nameOf(side) === "You" ? "You win" : `${this.nameOf(side)} wins`;
    if (game.over) return game.over;
    if (end?.fault) return `${this.nameOf(end.fault[0])} ${end.fault[1]}. ${wins(1 - end.fault[0])}.`;
    if (end && !game.isWatching) return super.statusText();
    if (end) return `The game is over. ${endText(about, end)}.`;
    if (phase === "over" || turn === null) return "One moment…";
    if (this.isMine()) return super.statusText();
    return `${game.names[turn]} is to move${here[turn] ? "." : ", but not connected."}`;
  }

  factorText() { return [super.factorText(), this.note].filter(Boolean).join(" "); }
}
