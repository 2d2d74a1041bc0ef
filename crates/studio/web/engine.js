// Selects the engine that answers requests: a server, or a worker of this page. Other modules do not know which.
import { LostError, httpEngine } from "./http.js";

const LONGEST_PAUSE_MS = 4000;

export const isServed = () => document.documentElement.dataset.engine !== "worker";

// Repeats the request while the server is unreachable; calls `lost(true)` at the beginning and `lost(false)` at the
// end.
const patiently = async (ask, signal, lost) => {
  for (let pause = 250; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const answer = await ask();
      lost(false);
      return answer;
    } catch (error) {
      if (!(error instanceof LostError)) {
        if (!signal?.aborted) lost(false);
        throw error;
      }
      lost(true);
      await new Promise((done) => setTimeout(done, pause));
      signal?.throwIfAborted();
    }
  }
};

// Returns an engine: `ask(request, signal)` returns an answer, and `grow(request, onGrown, signal, onWaiting)` a
// growing answer and the number of earlier searches; `readLog(file, signal)` returns the match in a log. All throw the
// errors of the request; a signal aborts them.
export const connect = async (lost = () => {}) => {
  const engine = isServed() ? httpEngine() : await (await import("./worker-engine.js")).workerEngine();
  return {
    ask: (request, signal) => patiently(() => engine.ask(request, signal), signal, lost),
    grow: (request, onGrown, signal, onWaiting) =>
      patiently(() => engine.grow(request, onGrown, signal, onWaiting), signal, lost),
    readLog: (file, signal) => patiently(() => engine.readLog(file, signal), signal, lost),
  };
};
