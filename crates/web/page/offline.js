// Registers the service worker, which lets the site open without a network. Browsers have none for files on a disk, and
// for hosts without https.
const workers = navigator.serviceWorker;
// Reloads the page when a new version takes over from the version that the page belongs to.
if (workers?.controller) workers.addEventListener("controllerchange", () => location.reload());
workers?.register("service-worker.js").then(
  // A version that an earlier visit has fetched takes over, unless the site is open in another tab.
  ({ waiting }) => waiting?.postMessage("take over"),
  () => {}, // The browser forbids it: the site needs the network.
);
