// The service worker, once the page has settled: an offline shell and notifications.
import { go } from "./place";

export function startWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<{ go?: string }>) => {
    if (data?.go?.startsWith("/")) go(data.go);
  });
  // Without it the page works all the same; a browser that forbids it is no trouble.
  addEventListener("load", () => void navigator.serviceWorker.register("/worker.js").catch(() => undefined));
}
