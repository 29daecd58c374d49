// The service worker: keeps the files of one build, so that the page works without a network after the first visit. What is kept is never
// changed: another build is another cache, which takes over when the person says so or when no page of the old one is open.

/// <reference lib="webworker" />
declare const self: ServiceWorkerGlobalScope;

export {};

// It imports nothing: browsers want a service worker in one file.

/** Written by the build: relative addresses of the files, and a hash of all of them. */
declare const BUILD: { version: string; files: string[]; simd: string[]; plain: string[]; later: string[] };

// Caches belong to an origin, which may hold several pages like this one under different paths.
const PREFIX = `coopmat-analyzer ${self.registration.scope} `;
const NAME = PREFIX + BUILD.version;
const address = (file: string) => new URL(file, self.registration.scope).href;

self.addEventListener("install", (event) => {
  const wanted = [...BUILD.files, ...(self.location.search === "?plain" ? BUILD.plain : BUILD.simd)];
  // Names with a hash cannot be out of date; others are asked for anew.
  const requests = wanted.map(
    (file) => new Request(address(file), { cache: file.startsWith("assets/") ? "default" : "no-cache" }),
  );
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(requests)));
});

self.addEventListener("activate", (event) => {
  const old = (name: string) => name.startsWith(PREFIX) && name !== NAME;
  const clean = async () => {
    for (const name of await caches.keys()) if (old(name)) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("message", ({ data }) => {
  if (data === "take over") void self.skipWaiting();
});

/** The page is one file, whatever stands behind the `?`. Other pages of the same host, which may lie below, are not ours. */
function isPage({ mode, url }: Request) {
  const { origin, pathname } = new URL(url);
  const plain = origin + pathname;
  return mode === "navigate" && (plain === self.registration.scope || plain === address("index.html"));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  const answer = async () => {
    const cache = await caches.open(NAME);
    const kept = await cache.match(isPage(request) ? address("index.html") : request);
    if (kept) return kept;
    const found = await fetch(request);
    // What most visits do not need is kept once it is used.
    if (found.ok && BUILD.later.some((file) => address(file) === request.url))
      await cache.put(request, found.clone());
    return found;
  };
  event.respondWith(answer());
});
