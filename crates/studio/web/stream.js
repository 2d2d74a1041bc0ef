// The streams of events of running games. As a shared worker, one stream serves all tabs of a browser, because a browser
// opens at most six connections to a server. The name of the worker is the path of its stream.

const NAMES = ["games", "match", "began", "moved", "ended", "standings", "changed", "closed"];
const LONGEST_PAUSE_MS = 15000;

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

// Calls `act` as `follow` calls `told`, with the stream that all tabs share if the browser has shared workers. The page
// shows when the stream breaks off.
export const watch = (path, act, signal) => {
  const setLost = (isLost) => { document.getElementById("lost").hidden = !isLost; };
  signal.addEventListener("abort", () => setLost(false));
  const told = (name, data) => {
    if (name === "lost") setLost(data);
    act(name, data);
  };
  if (typeof SharedWorker === "undefined") {
    signal.addEventListener("abort", follow(path, told));
    return;
  }
  const { port } = new SharedWorker(import.meta.url, { type: "module", name: path });
  port.addEventListener("message", ({ data }) => told(...data));
  port.start();
  const leave = () => port.postMessage("leave");
  signal.addEventListener("abort", leave);
  addEventListener("pagehide", leave, { signal });
};

// The part of the worker. For a tab that comes later, the worker connects again, and the server sends the whole state to
// all tabs.
const serve = () => {
  const ports = new Set();
  let close = null;
  const told = (...event) => { for (const port of ports) port.postMessage(event); };
  globalThis.addEventListener("connect", ({ ports: [port] }) => {
    port.addEventListener("message", () => {
      ports.delete(port);
      if (!ports.size) close();
    });
    port.start();
    ports.add(port);
    close?.();
    close = follow(globalThis.name, told);
  });
};
if (typeof SharedWorkerGlobalScope !== "undefined") serve();
