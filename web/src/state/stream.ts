// The event stream, one connection for all tabs of this browser: a browser allows only six to one server, and a stream holds
// one for as long as it lives, so a seventh tab could load nothing. One tab listens and tells the others; when it is closed,
// the next takes its place. The browser reconnects by itself and says where it stopped (Last-Event-ID).
export type Link = "connecting" | "live" | "lost";

export interface Heard {
  name: string;
  data: string;
  id: string;
}

interface Listener {
  onHeard: (event: Heard) => void;
  onLink: (link: Link) => void;
}

type Told = { heard: Heard } | { link: Link } | { ask: true } | { anew: true };

const NAMES = ["message", "feed", "question", "draft", "status", "turn", "server"];
const SHARED_NAME = "prime-events";
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** Opens the stream and keeps it open; gives a way to open it anew. */
function connect({ onHeard, onLink }: Listener): () => void {
  let wait = FIRST_WAIT_MS;
  let again: number | undefined;
  let last: EventSource | undefined;
  const open = (): void => {
    clearTimeout(again);
    const source = new EventSource("/events");
    last = source;
    source.addEventListener("open", () => {
      wait = FIRST_WAIT_MS;
      onLink("live");
    });
    source.addEventListener("error", () => {
      onLink("lost");
      // The browser tries again by itself unless the answer was a refusal; then we do.
      if (source.readyState !== EventSource.CLOSED) return;
      again = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    });
    for (const name of NAMES) {
      source.addEventListener(name, (event: MessageEvent<string>) => onHeard({ name, data: event.data, id: event.lastEventId }));
    }
  };
  open();
  return () => {
    last?.close();
    onLink("connecting");
    open();
  };
}

let anew = (): void => {};

/** For a stream that may be dead though the browser has not noticed. */
export const listenAnew = (): void => anew();

/** Hears every event, through this tab's connection or another tab's. */
export function listen(listener: Listener): void {
  // Without a secure context there are no locks; then each tab listens for itself.
  if (!("locks" in navigator)) {
    anew = connect(listener);
    return;
  }
  const wire = new BroadcastChannel(SHARED_NAME);
  const tell = (told: Told): void => wire.postMessage(told);
  let leading = false;
  let link: Link = "connecting";
  anew = () => tell({ anew: true });
  wire.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    if (leading) {
      if ("ask" in data) tell({ link });
      if ("anew" in data) anew();
    } else if ("heard" in data) listener.onHeard(data.heard);
    else if ("link" in data) listener.onLink(data.link);
  });
  tell({ ask: true });
  void navigator.locks.request(SHARED_NAME, () => {
    leading = true;
    const onHeard = (heard: Heard): void => {
      tell({ heard });
      listener.onHeard(heard);
    };
    const onLink = (now: Link): void => {
      link = now;
      tell({ link });
      listener.onLink(now);
    };
    // Between the last tab's stream and ours something may have been missed: everyone reads again once ours is live.
    onLink("connecting");
    anew = connect({ onHeard, onLink });
    return new Promise<never>(() => {});
  });
}
