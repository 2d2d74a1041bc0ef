// The server's logs and their changes while they are being written.
import { read } from "./http.js";

// The interval between checks, in milliseconds.
const EVERY = 3000;

export const listLogs = async (signal) => (await read(await fetch("api/logs", { signal }))).logs;

// Reads the match of a log or, quickly even from a large log, the games of one pair.
export const readLog = async (id, signal, pair = null) =>
  read(await fetch(`api/logs/${encodeURIComponent(id)}${pair === null ? "" : `/${pair}`}`, { signal }));

// Returns a value that differs after every change of a log.
export const stampOf = (log) => log && `${log.modified} ${log.bytes}`;

// Reports the logs every few seconds while the page is visible.
export const followLogs = (signal, told) => {
  let timer;
  const later = () => { timer = setTimeout(look, EVERY); };
  const look = async () => {
    try {
      if (!document.hidden) await told(await listLogs(signal));
    } catch {
      // The server may be unreachable, or a log half written: the next check follows soon.
    }
    if (!signal.aborted) later();
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  later();
};

// Shows the page again.
export const showAgain = () => dispatchEvent(new HashChangeEvent("hashchange"));
