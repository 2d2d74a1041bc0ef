// The studio: one document that shows the page named after the hash of its address.
import { connect, isServed } from "./engine.js";
import { make, showDialog } from "./dom.js";

const PAGES = {
  "": () => import("./home.js"),
  play: () => import("./setup.js"),
  rules: () => import("./rules.js"),
  game: () => import("./play.js"),
  match: () => import("./friend.js"),
  analysis: () => import("./analysis.js"),
  review: () => import("./review.js"),
  puzzles: () => import("./puzzles.js"),
  logs: () => import("./logs.js"),
  log: () => import("./log.js"),
  live: () => import("./live.js"),
};

const element = (id) => document.getElementById(id);
const root = element("main");
let leaving = new AbortController();

const say = (text) => { element("said").textContent = text; };
const notice = element("error");
const clearError = () => {
  notice.textContent = "";
  notice.hidden = true;
};
// Shows an error below the form that has the focus, or above the page.
const fail = (error) => {
  if (error.name === "AbortError") return;
  const form = document.activeElement.closest("form");
  if (form) form.after(notice);
  else root.before(notice);
  notice.textContent = error.message;
  notice.hidden = false;
  notice.scrollIntoView({ block: "nearest" });
};

const copy = async (text, what) => {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} is copied.`);
  } catch {
    // If the page may not write to the clipboard, the text is shown for copying by hand.
    const field = make("textarea", { class: "copied", rows: 4, readonly: true, "aria-label": what }, text);
    showDialog(what, {}, field);
    field.select();
  }
};

const missing = (text, href = "#/", words = "To the beginning") => {
  root.append(make("h1", {}, "Nothing here"), make("p", {}, `${text} `, make("a", { href }, words)));
};

// Returns the server's description of itself, or null without a server.
const aboutServer = async () => {
  if (!isServed()) return null;
  try {
    const response = await fetch("api/about");
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
};

const start = async () => {
  const engine = await connect((isLost) => {
    const wasLost = !element("lost").hidden;
    element("lost").hidden = !isLost;
    if (wasLost && !isLost) say("The server answers again.");
  });
  const [games, about] = await Promise.all([engine.ask({ ask: "games" }), aboutServer()]);
  // On a server with running games, only players use the engine, and people watch.
  const isHidden = { "#/play": about?.is_live, "#/analysis": about?.is_live, "#/logs": about?.is_live, "#/live": !about?.is_live };
  for (const link of element("nav").querySelectorAll("a")) link.hidden = isHidden[link.getAttribute("href")];
  if (about?.is_live && !location.hash) history.replaceState(null, "", "#/live");
  let isFirst = true;

  const route = async () => {
    const hash = location.hash;
    if (hash && !hash.startsWith("#/")) return;
    leaving.abort(new DOMException("The page was left.", "AbortError"));
    leaving = new AbortController();
    const [place, query = ""] = hash.slice(2).split("?");
    const [name, ...path] = place.split("/").map(decodeURIComponent);
    const found = name === "play" && path.length ? "game" : name;
    clearError();
    root.replaceChildren();
    document.title = "turnwise studio";
    for (const link of element("nav").querySelectorAll("a")) {
      if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const { signal } = leaving;
    const page = {
      root, engine, games, about, path, query: new URLSearchParams(query), signal, say, fail, clearError, copy, missing,
    };
    if (!Object.hasOwn(PAGES, found)) return missing("There is no such page.");
    try {
      const { open } = await PAGES[found]().catch(() => { throw new Error("This page could not be loaded. Is the server running? Then load the page again."); });
      if (signal.aborted) return;
      const opened = open(page);
      if (!isFirst) root.focus({ preventScroll: true });
      isFirst = false;
      scrollTo(0, 0);
      await opened;
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  };
  addEventListener("hashchange", route);
  await route();
};

start().catch(fail);
