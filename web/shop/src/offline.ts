/** Keeps what was opened, so that the shop works without a network: pages and scripts from the store, data from the server first. */
/// <reference lib="webworker" />
export {};
declare const self: ServiceWorkerGlobalScope;

const STORE = "toile-shop-1";
/** data that may be seen again offline; what is the visitor's own stays with the server */
const DATA = ["/api/catalogue", "/api/visitor", "/api/bodies", "/api/basket", "/api/pictures/"];
const MOST = 400;

self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith("/assets/") || url.pathname.startsWith("/api/pictures/")) event.respondWith(storeFirst(event));
  else if (request.mode === "navigate") event.respondWith(serverFirst(event, "/"));
  else if (DATA.some((path) => url.pathname.startsWith(path)) && !url.pathname.endsWith("/export")) event.respondWith(serverFirst(event));
});

async function takeOver(): Promise<void> {
  for (const name of await caches.keys()) if (name !== STORE) await caches.delete(name);
  await self.clients.claim();
}

/** Names of these files are their content: what is kept is right. */
async function storeFirst(event: FetchEvent): Promise<Response> {
  const held = await (await caches.open(STORE)).match(event.request);
  if (held) return held;
  const answer = await fetch(event.request);
  if (answer.ok) event.waitUntil(keep(event.request, answer.clone()));
  return answer;
}

/** page: the one that stands for all addresses of pages. */
async function serverFirst(event: FetchEvent, page?: string): Promise<Response> {
  const { request } = event;
  try {
    const answer = await fetch(request);
    // nobody waits until it is kept
    if (answer.ok) event.waitUntil(keep(page ? new Request(page) : request, answer.clone()));
    if (!page) event.waitUntil(tell(event.clientId, "from the server"));
    return answer;
  } catch (error) {
    const held = await (await caches.open(STORE)).match(page ?? request);
    if (!held) throw error;
    if (!page) event.waitUntil(tell(event.clientId, "from the store"));
    return held;
  }
}

/** Let the page know where its data came from: it says when the network is gone. A page that is not there yet cannot be told. */
async function tell(client: string, from: string): Promise<void> {
  (await self.clients.get(client))?.postMessage(from);
}

/** After everything of a visitor's was deleted, nothing of it stays on their device. */
self.addEventListener("message", (event) => {
  if (event.data === "forget") event.waitUntil(caches.delete(STORE));
});

async function keep(request: Request, answer: Response): Promise<void> {
  const store = await caches.open(STORE);
  const names = await store.keys();
  if (names.length >= MOST && names[0]) await store.delete(names[0]);
  await store.put(request, answer);
}
