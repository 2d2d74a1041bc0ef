// The server's logs as a list with filters; other logs can be dropped onto the page.
import { make, tableOf } from "./dom.js";
import { followLogs, listLogs, showAgain } from "./folder.js";
import { field, select } from "./setup.js";
import { keepDropped } from "./log.js";

// The maximum size of a log that the page reads without a server, in bytes.
const LARGEST = 256 << 20;
const sizeText = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
// The milliseconds after its growth in which a log counts as being written.
const WRITTEN = 60_000;
const dateText = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");

export const open = async (page) => {
  const { root, games, engine, about, signal } = page;
  const most = about?.limits.upload_bytes ?? LARGEST;
  const read = async (file) => {
    if (!file) return;
    page.clearError();
    try {
      if (file.size > most) throw new Error(`expected a log of at most ${sizeText(most)}, got ${sizeText(file.size)}`);
      keepDropped(await engine.readLog(file, signal));
      location.hash = "#/log/dropped";
    } catch (error) {
      page.fail(error);
    }
  };
  const file = make("input", { type: "file", accept: ".jsonl,.json,.log,.txt", change: () => read(file.files[0]) });
  const drop = make("div", {
    class: "drop", id: "drop",
    dragover: (event) => { event.preventDefault(); drop.classList.add("over"); },
    dragleave: () => drop.classList.remove("over"),
    drop: (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      read(event.dataTransfer.files[0]);
    },
  }, field("Drop a log here, or choose one", file, "The page shows the log and does not store it."));
  root.append(make("h1", {}, "Logs"), drop);
  if (!about) return;

  let logs = await listLogs(signal);
  if (!logs.length) {
    root.append(make("p", { class: "muted" }, "turnwise studio FOLDER lists the logs of a folder here."));
    followLogs(signal, (now) => { if (now.length) showAgain(); });
    return;
  }
  const known = games.filter(({ name }) => logs.some(({ game }) => game === name));
  const words = make("input", { type: "search", id: "find", input: () => fill() });
  const game = select([["", "all games"], ...known.map(({ name, title }) => [name, title])], { change: () => fill() });
  const body = make("tbody");
  const count = make("p", { class: "muted", role: "status" });
  // The time of each log's last observed growth.
  const grown = new Map();
  const isWritten = (log) => Date.now() - (grown.get(log.id) ?? -Infinity) < WRITTEN;
  const fill = () => {
    const focused = body.contains(document.activeElement) && document.activeElement.getAttribute("href");
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = logs.filter((log) => (!game.value || log.game === game.value)
      && wanted.every((word) => `${log.name} ${log.title}`.toLowerCase().includes(word)));
    count.textContent = `${found.length} of ${logs.length} logs`;
    body.replaceChildren(...found.map((log) => make("tr", {},
      make("td", {}, log.error ? log.name : make("a", { href: `#/log/${encodeURIComponent(log.id)}` }, log.name),
        isWritten(log) ? make("b", { class: "written" }, " being written") : null,
        make("div", { class: "muted" }, log.error ?? log.title)),
      make("td", {}, games.find(({ name }) => name === log.game)?.title ?? ""),
      make("td", { class: "figure" }, log.games === null ? "" : String(log.games)),
      make("td", { class: "figure" }, dateText(log.modified)), make("td", { class: "figure" }, sizeText(log.bytes)))));
    if (focused) [...body.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
  };
  fill();
  root.append(make("div", { class: "two" }, field("Find", words), field("Game", game)), count,
    make("div", { class: "card-box" }, tableOf("Logs", ["log", "game", "games", "changed", "size"], 2, body, "logs")));
  const shown = () => JSON.stringify([logs, logs.map(isWritten)]);
  let last = shown();
  followLogs(signal, (now) => {
    const before = new Map(logs.map((log) => [log.id, log.bytes]));
    for (const log of now) if (log.bytes > (before.get(log.id) ?? log.bytes)) grown.set(log.id, Date.now());
    logs = now;
    if (shown() !== last) fill();
    last = shown();
  });
};
