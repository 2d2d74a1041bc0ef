// The engine of the pages without a server: WebAssembly in two workers, one for questions that take no time,
// one for searches, which is ended when a search is no longer wanted.

class Desk {
  #start;
  #worker = null;
  #waiting = new Map();
  #next = 0;

  constructor(start) {
    this.#start = start;
  }

  ask(request, onGrown) {
    this.#worker ??= this.#begin();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onGrown });
      this.#worker.postMessage({ id, request });
    });
  }

  // Ends the worker; all that it was asked fails with this reason.
  end(reason) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #begin() {
    const worker = this.#start();
    worker.onmessage = ({ data }) => {
      const waiting = this.#waiting.get(data.id);
      if (!waiting) return;
      if (data.grown !== undefined) return waiting.onGrown?.(data.grown);
      this.#waiting.delete(data.id);
      if (data.error === undefined) return waiting.resolve(data.answer);
      waiting.reject(new Error(data.error));
      if (data.broken) this.end(new Error(data.error));
    };
    worker.onerror = (event) => this.end(new Error(event.message || "the engine could not be started"));
    return worker;
  }
}

// Bytes written in base 64 in an element of the page.
const embedded = (element) => Uint8Array.from(atob(element.textContent.trim()), (letter) => letter.charCodeAt(0));

// How a worker is started and where its engine is: beside the page, or in it, where the page is a single file.
const found = () => {
  const [script, engine] = ["worker-script", "worker-engine"].map((id) => document.getElementById(id));
  if (!script || !engine) {
    const beside = (name) => new URL(name, import.meta.url);
    // Not every host knows what kind of file an engine is, so it is loaded before it is compiled.
    const loaded = fetch(beside("engine.wasm")).then((response) => {
      if (!response.ok) throw new Error(`engine.wasm: ${response.status} ${response.statusText}`);
      return response.arrayBuffer();
    });
    return [() => new Worker(beside("worker.js")), loaded.then((bytes) => WebAssembly.compile(bytes))];
  }
  const address = URL.createObjectURL(new Blob([embedded(script)], { type: "text/javascript" }));
  return [() => new Worker(address), WebAssembly.compile(embedded(engine))];
};

// The engine of this page.
export const workerEngine = () => {
  const [start, module] = found();
  const begin = () => {
    const worker = start();
    module.then(
      (compiled) => worker.postMessage({ module: compiled }),
      (error) => worker.onerror({ message: `The engine could not be loaded: ${error.message}` }),
    );
    return worker;
  };
  const [quick, searching] = [new Desk(begin), new Desk(begin)];
  const until = async (signal, request, onGrown) => {
    const stop = () => searching.end(new DOMException("no longer wanted", "AbortError"));
    signal?.throwIfAborted();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await searching.ask(request, onGrown);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  };
  return {
    ask: (request, signal) => (request.ask === "think" ? until(signal, request) : quick.ask(request)),
    grow: (request, onGrown, signal) => until(signal, request, onGrown),
    readLog: (file, signal) => until(signal, file),
  };
};
