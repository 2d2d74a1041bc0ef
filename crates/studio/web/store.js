// What this browser remembers: the games that were played in it. Where nothing can be kept, games end with the page.

const KEY = "turnwise.games";
const MOST = 30;

// All games, the latest first.
export const stored = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
};

const write = (games) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(games.slice(0, MOST)));
  } catch {
    // Full or forbidden: the game goes on without.
  }
};

export const load = (id) => stored().find((game) => game.id === id) ?? null;
export const save = (game) => write([game, ...stored().filter((other) => other.id !== game.id)]);
export const forget = (id) => write(stored().filter((game) => game.id !== id));
