// The games stored in this browser. Without storage, games end with the page.

const KEY = "turnwise.games";
const MOST = 30;

// Returns all games, the latest first.
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
    // The storage is full or forbidden: the game continues without it.
  }
};

export const load = (id) => stored().find((game) => game.id === id) ?? null;
export const save = (game) => write([game, ...stored().filter((other) => other.id !== game.id)]);
export const forget = (id) => write(stored().filter((game) => game.id !== id));
