// The logs that the server was given, and how they change: some are being written.

// So many milliseconds between two looks.
const EVERY = 3000;

export const listLogs = async (signal) => {
  const response = await fetch("api/logs", { signal });
  const listing = await response.json();
  if (!response.ok) throw new Error(listing.error);
  return listing.logs;
};

export const readLog = async (id, signal) => {
  const response = await fetch(`api/logs/${encodeURIComponent(id)}`, { signal });
  const told = await response.json();
  if (!response.ok) throw new Error(told.error);
  return told;
};

// What is different once a log has changed.
export const stampOf = (log) => log && `${log.modified} ${log.bytes}`;

// Tells the logs every few seconds, as long as somebody looks at the page.
export const followLogs = (signal, told) => {
  let timer;
  const later = () => { timer = setTimeout(look, EVERY); };
  const look = async () => {
    try {
      if (!document.hidden) await told(await listLogs(signal));
    } catch {
      // The server may be away, or a log half written: the next look is soon.
    }
    if (!signal.aborted) later();
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  later();
};

// Shows the page anew.
export const showAgain = () => dispatchEvent(new HashChangeEvent("hashchange"));
