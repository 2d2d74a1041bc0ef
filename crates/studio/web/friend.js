// A match between two people at two browsers. The server plays it; this page shows the server's events and sends moves.
import { button, make } from "./dom.js";
import { send } from "./http.js";
import { FORCED_MS, Match, isForced } from "./play.js";
import { save } from "./store.js";
import { watch } from "./stream.js";
import { endText } from "./words.js";

const LOCAL = /^(localhost|127\.|\[::1\])/;

export const open = async (page) => {
  const [id, invitation = null] = page.path;
  const path = `api/matches/${encodeURIComponent(id)}`;
  const left = new AbortController();
  const signal = AbortSignal.any([page.signal, left.signal]);
  let side = null;
  const join = async (invitation) => {
    try {
      ({ side } = await send(`${path}/join`, { invitation }, signal));
    } catch (error) {
      page.fail(error);
      if (error.status !== 404) return;
      left.abort();
      page.clearError();
      page.root.replaceChildren();
      page.missing(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
    }
  };
  await join(invitation);
  if (signal.aborted) return;
  // The invitation is used up, and the address without it is the link for spectators.
  history.replaceState(null, "", `#/match/${id}`);
  let match = null;
  // A browser that takes a seat needs another stream than as a spectator.
  watch(`${path}/events?side=${side}`, (name, data) => {
    if (name === "lost") {
      if (data) join(null);
    } else if (name !== "closed") {
      match ??= new FriendMatch({ ...page, signal }, id, side, data);
      match.take(data);
    }
  }, signal);
};

class FriendMatch extends Match {
  constructor(page, id, side, { game, settings, time, host, link, invitation }) {
    const names = host === 0 ? ["Host", "Guest"] : ["Guest", "Host"];
    const isWatching = side === null;
    super(page, {
      id, game, settings, time, side: side ?? 0, names, isWatching, isFriend: true, agent: names[1 - (side ?? 0)],
      moves: [], left: [null, null], over: null, earlier: null,
    });
    Object.assign(this, { path: `api/matches/${id}`, watching: link, views: [] });
    this.waiting = make("div", { class: "card-box setup", id: "waiting" }, make("h1", {}, `${this.about.title} with a friend`),
      ...invitation ? this.invite(`${link}/${invitation}`) : [make("p", {}, "The game begins when the guest arrives.")]);
    this.build();
    page.root.append(this.waiting);
  }

  // Shows the link that takes the guest's seat.
  invite(link) {
    const field = make("input", { type: "text", readonly: true, value: link, id: "invitation", "aria-label": "The link for your friend", focus: () => field.select() });
    const local = LOCAL.test(new URL(link).hostname) ? make("p", { class: "muted" },
      "Only browsers on this machine can open this link. To let other machines in the network open it, start the studio with ", make("code", {}, `--listen 0.0.0.0:${location.port}`), ".") : null;
    return [make("p", {}, `Send this link to your friend: whoever opens it first plays ${this.about.roles[this.other]}. The game begins then.`),
      field, make("div", { class: "actions" }, button("Copy link", () => this.page.copy(link, "The link for your friend"), { class: "main", id: "copy-invitation" })), local];
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
    this.waiting.hidden = phase !== "waiting";
    this.table.hidden = phase === "waiting";
    if (this.table.hidden) return;
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
      location.hash = `#/match/${id}${invitation ? `/${invitation}` : ""}`;
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
