// Saves games and positions as files.
import { button, make } from "./dom.js";

const KINDS = [
  ["svg", "svg", "Picture", "This position as a picture (SVG)"],
  ["gif", "gif", "Animation", "The game as an animation (GIF)"],
  ["text", "txt", "Text", "The game in words"],
];

const download = (bytes, type, name) => {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  make("a", { href: address, download: name }).click();
  // The browser reads the file from the address after this function returns.
  setTimeout(() => URL.revokeObjectURL(address), 60000);
};

// Returns buttons that save the shown content: `now()` is the position, `whole()` the position at the end of the game.
export const saveButtons = (page, now, whole) => make("div", { class: "actions" }, KINDS.map(([format, ending, text, title]) =>
  button(`Save ${text.toLowerCase()}`, async () => {
    page.clearError();
    const position = format === "svg" ? now() : whole();
    try {
      const { media, base64 } = await page.engine.ask({ ask: "picture", position, format }, page.signal);
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      download(bytes, media, `${position.game}-${position.moves.length}.${ending}`);
    } catch (error) {
      page.fail(error);
    }
  }, { title, id: `save-${format}` })));
