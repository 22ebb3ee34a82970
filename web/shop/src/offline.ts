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
  if (url.pathname.startsWith("/assets/") || url.pathname.startsWith("/api/pictures/")) event.respondWith(storeFirst(request));
  else if (request.mode === "navigate") event.respondWith(serverFirst(request, event.resultingClientId, "/"));
  else if (DATA.some((path) => url.pathname.startsWith(path)) && !url.pathname.endsWith("/export")) event.respondWith(serverFirst(request, event.clientId));
});

async function takeOver(): Promise<void> {
  for (const name of await caches.keys()) if (name !== STORE) await caches.delete(name);
  await self.clients.claim();
}

/** Names of these files are their content: what is kept is right. */
async function storeFirst(request: Request): Promise<Response> {
  const store = await caches.open(STORE);
  const held = await store.match(request);
  if (held) return held;
  const answer = await fetch(request);
  if (answer.ok) await keep(store, request, answer.clone());
  return answer;
}

async function serverFirst(request: Request, client: string, instead?: string): Promise<Response> {
  const store = await caches.open(STORE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await keep(store, instead ? new Request(instead) : request, answer.clone());
    await tell(client, "from the server");
    return answer;
  } catch (error) {
    const held = await store.match(instead ?? request);
    if (held) {
      await tell(client, "from the store");
      return held;
    }
    throw error;
  }
}

/** Let the page know where its data came from: it says when the network is gone. */
async function tell(client: string, from: string): Promise<void> {
  (await self.clients.get(client))?.postMessage(from);
}

/** After everything of a visitor's was deleted, nothing of it stays on their device. */
self.addEventListener("message", (event) => {
  if (event.data === "forget") event.waitUntil(caches.delete(STORE));
});

async function keep(store: Cache, request: Request, answer: Response): Promise<void> {
  const names = await store.keys();
  if (names.length >= MOST && names[0]) await store.delete(names[0]);
  await store.put(request, answer);
}
