// The engine on a server: requests of crates/study over HTTP.

// The server is unreachable, or another program answered.
export class LostError extends Error {}

const post = async (path, request, signal) => {
  try {
    if (request instanceof Blob) return await fetch(path, { method: "POST", body: request, signal });
    const headers = { "content-type": "application/json" };
    return await fetch(path, { method: "POST", headers, body: JSON.stringify(request), signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new LostError("the server does not answer");
  }
};

// Returns the JSON of a response; throws the server's error messages with the status of the response.
export const read = async (response) => {
  const told = await response.json().catch(() => { throw new LostError("the server's answer is cut off"); });
  if (told.error !== undefined) throw Object.assign(new Error(told.error), { status: response.status });
  return told;
};

// Sends a file, or a request as JSON, and returns the JSON of the response.
export const send = async (path, request, signal) => read(await post(path, request, signal));

// Yields the lines of a body as they arrive.
async function* linesOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + read.value).split("\n");
      rest = lines.pop();
      yield* lines.filter(Boolean);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

const ask = async (request, signal) => (await send("api/ask", request, signal)).answer;

const grow = async (request, onGrown, signal, onWaiting) => {
  const response = await post("api/grow", request, signal);
  if (!response.ok) return (await read(response)).answer;
  try {
    for await (const line of linesOf(response)) {
      const told = JSON.parse(line);
      if (told.error !== undefined) throw new Error(told.error);
      if (told.answer !== undefined) return told.answer;
      if (told.grown !== undefined) onGrown(told.grown);
      else onWaiting?.(told.waiting);
    }
  } catch (error) {
    if (signal?.aborted || !(error instanceof TypeError)) throw error;
  }
  throw new LostError("the server's answer is cut off");
};

const readLog = (file, signal) => send("api/log", file, signal);

export const httpEngine = () => ({ ask, grow, readLog });
