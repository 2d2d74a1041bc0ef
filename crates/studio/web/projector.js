// The projector: large boards of running games beside the standings, readable from the back of a room.
import { button, make } from "./dom.js";
import { Board, seatOf } from "./board.js";
import { boardAfter, isOver, isTable, latest, moveText, resultOf, rolesOf } from "./replay.js";
import { clockText, endText } from "./words.js";

const RESULT_MS = 5000;
const SLIDE_MS = 200;

// Returns a live game on the screen: its element, and a function that draws its present state.
export const showGame = (game) => {
  const board = new Board(make("div"));
  const said = make("p");
  const box = make("div", { class: "board-box" }, board.element, said);
  const seats = rolesOf(game).map((role, side) => seatOf(game.of, side, game.players[side], isTable(game) ? side + 1 : role));
  const [first, ...others] = seats.map(({ element }) => element);
  let drawn;
  const draw = () => {
    const plies = game.to.length;
    if (drawn !== plies) {
      const now = boardAfter(game, plies);
      box.style.setProperty("--columns", now.columns);
      box.style.setProperty("--rows", Math.ceil(now.cells.length / now.columns));
      board.draw(now);
      drawn = plies;
    }
    seats.forEach(({ element, standing, clock }, side) => {
      const isToMove = game.to_move === side;
      const left = game.clocks?.[side];
      if (left !== undefined) clock.textContent = clockText(isToMove ? left - (Date.now() - game.at) / 1000 : left);
      const expected = latest(game, game.expected, side, plies);
      standing.textContent = isTable(game) ? game.measures[side][plies] : expected === null ? "" : `expects ${expected.toFixed(1)}`;
      element.classList.toggle("to-move", isToMove);
    });
    said.className = isOver(game) ? "news" : "muted";
    said.textContent = !isOver(game) ? plies ? `Ply ${plies}: ${moveText(game, plies - 1)}` : "It begins"
      : isTable(game) || game.score === null ? resultOf(game) : `${endText(game.of, game)}${game.fault ? `. Fault of ${game.fault[0]}` : ""}`;
  };
  return { game, draw, node: make("section", {}, isTable(game) ? [make("div", { class: "two narrow" }, first, others), box] : [first, box, others]) };
};

const toggleFullScreen = () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();

// Fills a page with a title and the games of a map, which changes.
export const openProjector = ({ root, signal }, games, title) => {
  const boards = make("div", { class: "boards" });
  const head = ["#", "Name", "", "Games"].map((text) => make("th", {}, text));
  const body = make("tbody");
  const screen = make("div", { class: "projector" }, boards, make("aside", { "aria-label": "Standings" }, title,
    make("table", { class: "lines" }, make("thead", {}, make("tr", {}, head)), body),
    make("div", { class: "actions" }, make("a", { href: "#/live" }, "Leave (Esc)"),
      document.fullscreenEnabled ? button("Full screen (f)", toggleFullScreen, { id: "full" }) : null)));
  root.append(screen);
  addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    if (key === "Escape") location.hash = "#/live";
    // With Ctrl or Command, the key belongs to the browser, which searches the page.
    if (key === "f" && !ctrlKey && !metaKey && document.fullscreenEnabled) toggleFullScreen();
  }, { signal });
  const rows = new Map();
  const shown = [];
  let standings = [];

  // The games whose players have the best places come first; no place counts as 99. A game stays until its result has
  // been shown.
  const choose = () => {
    const places = ({ players }) => players.reduce((sum, name) => sum + (standings.find((row) => row.name === name)?.place ?? 99), 0);
    const waiting = [...games.values()].filter((game) => !isOver(game) && !shown.some((other) => other.game === game))
      .sort((one, other) => places(one) - places(other));
    for (let at = 0; waiting.length && at < (isTable(waiting[0]) ? 2 : 4); at++) {
      const before = shown[at]?.game;
      // While a result is shown, the next game waits for its place.
      if (before ? !isOver(before) || Date.now() < before.at + RESULT_MS : shown.some(({ game }) => isOver(game))) continue;
      shown[at] = showGame(waiting.shift());
      boards.replaceChildren(...shown.map(({ node }) => node));
    }
  };
  const timer = setInterval(() => {
    choose();
    for (const { draw } of shown) draw();
  }, 100);
  signal.addEventListener("abort", () => clearInterval(timer));

  return {
    close: () => setTimeout(() => screen.classList.add("final"), RESULT_MS),
    // Shows the standings, and lets each row slide to its new place.
    rank: (told) => {
      standings = told.rows;
      head[2].textContent = told.unit;
      const before = [...body.children].map((row) => [row, row.offsetTop]);
      body.replaceChildren(...standings.map(({ place, name, rating, games }) => {
        const row = rows.get(name) ?? make("tr");
        rows.set(name, row);
        row.dataset.place = place;
        row.replaceChildren(...[place ?? "–", name, rating ?? "–", games].map((text) => make("td", {}, text)));
        return row;
      }));
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      for (const [row, top] of before) row.animate({ translate: [`0 ${top - row.offsetTop}px`, "0"] }, SLIDE_MS);
    },
  };
};
