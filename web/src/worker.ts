// The service worker: keeps the page itself for when Prime is away, shows what is pushed, and opens the very question.
// What Prime knows is never kept here: /api and /events always go to the server.
/// <reference lib="webworker" />

const worker = self as unknown as ServiceWorkerGlobalScope;
/** Scripts and styles of the first view, by the names that the build gave them. */
declare const FIRST_FILES: readonly string[];

const SHELL = "prime-shell";
const FIRST = ["/", ...FIRST_FILES, "/assets/icon.svg", "/manifest.webmanifest"];
const PAGE_FILES = /^\/(assets\/.*|manifest\.webmanifest)$/;
/** Named by their content: what is kept under such a name is right for ever. */
const UNCHANGING = "/assets/chunks/";

interface Pushed {
  title?: string;
  body?: string;
  url?: string;
  tag?: string;
  questionId?: string;
  actions?: { action: string; title: string; answer?: Record<string, string> }[];
}

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll(FIRST)));
  void worker.skipWaiting();
});

/** Files of earlier versions of the page go, once this one has what it needs. */
async function forgetOld(): Promise<void> {
  const cache = await caches.open(SHELL);
  const kept = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith(UNCHANGING));
  await Promise.all(kept.filter(({ url }) => !FIRST.includes(new URL(url).pathname)).map((request) => cache.delete(request)));
}

worker.addEventListener("activate", (event) => event.waitUntil(Promise.all([forgetOld(), worker.clients.claim()])));

async function keptFirst(request: Request, key: string): Promise<Response> {
  return (await (await caches.open(SHELL)).match(key)) ?? networkFirst(request, key);
}

async function networkFirst(request: Request, key: string): Promise<Response> {
  const cache = await caches.open(SHELL);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(key, answer.clone());
    return answer;
  } catch (cause) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw cause;
  }
}

// Places of the page; everything else that can be gone to (a published site, a file) is the server's own.
const PLACES = /^\/($|(c|channels|questions|drafts|room|recall|rules|tools|scripts|network|insight|settings)(\/|$))/;

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith(UNCHANGING)) event.respondWith(keptFirst(request, pathname));
  else if (PAGE_FILES.test(pathname)) event.respondWith(networkFirst(request, pathname));
  else if (request.mode === "navigate" && PLACES.test(pathname)) event.respondWith(networkFirst(request, "/"));
});

function read(event: PushEvent): Pushed {
  try {
    return (event.data?.json() ?? {}) as Pushed;
  } catch {
    return { body: event.data?.text() ?? "" };
  }
}

worker.addEventListener("push", (event) => {
  const pushed = read(event);
  const options: NotificationOptions & { actions?: { action: string; title: string }[] } = {
    body: pushed.body ?? "",
    icon: "/assets/icon-192.png",
    badge: "/assets/icon-192.png",
    data: pushed,
  };
  if (pushed.tag) options.tag = pushed.tag;
  if (pushed.actions?.length) options.actions = pushed.actions;
  event.waitUntil(worker.registration.showNotification(pushed.title ?? "Prime", options));
});

async function answer(questionId: string, given: Record<string, string>): Promise<boolean> {
  const response = await fetch(`/api/questions/${encodeURIComponent(questionId)}/answer`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(given),
  });
  return response.ok;
}

async function open(url: string): Promise<void> {
  const wanted = new URL(url, location.origin);
  // Only places of this page: what was pushed does not lead elsewhere.
  const path = wanted.origin === location.origin ? wanted.pathname + wanted.search : "/";
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const [first] = pages;
  if (!first) return void (await worker.clients.openWindow(path));
  first.postMessage({ go: path });
  await first.focus();
}

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const pushed = (event.notification.data ?? {}) as Pushed;
  const chosen = pushed.actions?.find((each) => each.action === event.action);
  const opened = (): Promise<void> => open(pushed.url ?? "/");
  if (!chosen?.answer || !pushed.questionId) return event.waitUntil(opened());
  event.waitUntil(answer(pushed.questionId, chosen.answer).then((done) => (done ? undefined : opened()), opened));
});
