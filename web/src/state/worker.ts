// The service worker, once there is something to see: an offline shell and notifications.
import { go } from "./place";

export function startWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<{ go?: string }>) => {
    if (data?.go?.startsWith("/")) go(data.go);
  });
  // Without it the page works all the same; a browser that forbids it is no trouble.
  void navigator.serviceWorker.register("/worker.js").catch(() => undefined);
}
