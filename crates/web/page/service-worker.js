// Stores the static site in the browser, so that it opens without a network.
//
// scripts/site writes two constants before this text: FILES, the integrity of each file by its address, and VERSION, a
// hash of all files. A version is stored as a whole or not at all, and a page receives only files of one version: a new
// version waits until no page of the old one is open, or until the only open page lets it take over.

// Sites at other paths of the same host share its caches.
const OURS = `${registration.scope} `;
const CACHE = OURS + VERSION;

// The integrity rejects a file of another version, which a host may send while the site is being replaced.
const store = async () => (await caches.open(CACHE)).addAll(Object.entries(FILES).map(([address, integrity]) =>
  new Request(address, { cache: "no-cache", integrity })));

const activate = async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
};

const answer = async (request) => {
  const { origin, pathname } = new URL(request.url);
  const cache = await caches.open(CACHE);
  return await cache.match(origin + pathname.replace(/\/index\.html$/, "/")) ?? fetch(request);
};

const takeOver = async () => {
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (pages.filter(({ url }) => url.startsWith(registration.scope)).length === 1) await skipWaiting();
};

addEventListener("install", (event) => event.waitUntil(store()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => event.respondWith(answer(event.request)));
addEventListener("message", (event) => event.waitUntil(takeOver()));
