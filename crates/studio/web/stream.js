// The streams of events of running games. As a shared worker, one stream serves all tabs of a browser, because a browser
// opens at most six connections to a server. The name of the worker is the path of its stream.

// The events that contain the whole state, and the others.
const WHOLE = ["games", "match"];
const NAMES = [...WHOLE, "began", "moved", "ended", "changed", "closed"];
const LONGEST_PAUSE_MS = 15000;
// The maximum number of events that the worker keeps.
const MOST_PAST = 2000;

// Follows the stream at this path until `close` is called. `told(name, data)` gets each event, and ("lost", true or
// false) when the stream breaks off and when it is back. The server sends the whole state after each connection.
export const follow = (path, told) => {
  let source = null;
  let timer = null;
  let pause = 500;
  const connect = () => {
    source = new EventSource(new URL(`../${path}`, import.meta.url));
    for (const name of NAMES) {
      source.addEventListener(name, (event) => {
        pause = 500;
        told("lost", false);
        told(name, JSON.parse(event.data));
        if (name === "closed") close();
      });
    }
    source.addEventListener("error", () => {
      told("lost", true);
      // The browser reconnects by itself only after an interruption, not after an error of a proxy in between.
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(connect, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    });
  };
  const close = () => {
    clearTimeout(timer);
    source.close();
  };
  connect();
  return close;
};

// Calls `told` as `follow` does, with the stream that all tabs share if the browser has shared workers.
export const watch = (path, told, signal) => {
  if (typeof SharedWorker === "undefined") {
    signal.addEventListener("abort", follow(path, told));
    return;
  }
  const { port } = new SharedWorker(import.meta.url, { type: "module", name: path });
  port.addEventListener("message", ({ data: [name, data] }) => told(name, data));
  port.start();
  const leave = () => port.postMessage("leave");
  signal.addEventListener("abort", leave);
  addEventListener("pagehide", leave, { signal });
};

// The part of the worker: a tab that comes later gets the events since the last whole state. If these are too many, the
// worker connects again instead, and the server sends the whole state to all tabs.
const serve = () => {
  const ports = new Set();
  let close = null;
  let past = [];
  const told = (name, data) => {
    if (WHOLE.includes(name)) past = [];
    if (name !== "lost" && past.length <= MOST_PAST) past.push([name, data]);
    for (const port of ports) port.postMessage([name, data]);
  };
  const stop = () => {
    close?.();
    close = null;
    past = [];
  };
  globalThis.addEventListener("connect", ({ ports: [port] }) => {
    port.addEventListener("message", () => {
      ports.delete(port);
      if (!ports.size) stop();
    });
    port.start();
    ports.add(port);
    if (past.length > MOST_PAST) stop();
    for (const event of past) port.postMessage(event);
    close ??= follow(globalThis.name, told);
  });
};
if (typeof SharedWorkerGlobalScope !== "undefined") serve();
