// Who answers requests: a server, or a worker of this page. Nobody else knows which it is.
import { LostError, httpEngine } from "./http.js";

const LONGEST_PAUSE_MS = 4000;

export const isServed = () => document.documentElement.dataset.engine !== "worker";

// Asks again while nobody answers; `lost(true)` is called when that begins and `lost(false)` when it is over.
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

// An engine: `ask(request, signal)` gives an answer, `grow(request, onGrown, signal, onWaiting)` one that grows, and tells
// how many searches wait before it. Both throw what is wrong with the request. A signal gives them up.
export const connect = async (lost = () => {}) => {
  const engine = isServed() ? httpEngine() : await (await import("./worker-engine.js")).workerEngine();
  return {
    ask: (request, signal) => patiently(() => engine.ask(request, signal), signal, lost),
    grow: (request, onGrown, signal, onWaiting) =>
      patiently(() => engine.grow(request, onGrown, signal, onWaiting), signal, lost),
  };
};
