// The engine in a worker. It receives messages {id, request}, in which a request is a value or a log as a file, and
// replies with {id, grown}, {id, answer} or {id, error}. One message {module} contains the engine.
let engine = null;
let asked = null;

const pulled = (length) => {
  const words = new DataView(new ArrayBuffer(length + 4));
  for (let at = 0; at < length; at += 4) words.setUint32(at, engine.pull(at), true);
  return new TextDecoder().decode(new Uint8Array(words.buffer, 0, length));
};

const imports = {
  page: {
    now: () => performance.now(),
    told: (length) => postMessage({ id: asked, ...JSON.parse(pulled(length)) }),
  },
};

// Passes bytes to the engine, and returns the answer of `act`, which is one of its functions.
const answered = (bytes, act) => {
  const padded = new DataView(new ArrayBuffer(bytes.length + 4));
  new Uint8Array(padded.buffer).set(bytes);
  engine.begin(bytes.length);
  for (let at = 0; at < bytes.length; at += 4) engine.push(padded.getUint32(at, true));
  return JSON.parse(pulled(act()));
};

// Messages that come before the engine is there wait for it.
let ready = new Promise((resolve) => { addEventListener("message", ({ data }) => {
  if (data.module) resolve(data.module);
}); }).then(async (module) => {
  engine = (await WebAssembly.instantiate(module, imports)).exports;
});

addEventListener("message", async ({ data: { id, request } }) => {
  if (request === undefined) return;
  try {
    await ready;
    const isLog = request instanceof Blob;
    const bytes = isLog ? new Uint8Array(await request.arrayBuffer()) : new TextEncoder().encode(JSON.stringify(request));
    asked = id;
    postMessage({ id, ...answered(bytes, isLog ? engine.read : engine.ask) });
  } catch (error) {
    // A trap leaves the engine in an unknown state; whoever asks ends this worker.
    postMessage({ id, error: `The engine stopped: ${error.message}`, broken: true });
  }
});
