import { render } from "preact";
import "./state/appearance";
import { begin } from "./state/live";
import { loadMe } from "./state/me";
import "./state/reading";
import { startWorker } from "./state/worker";
import { App } from "./parts/App";
import { loadWords } from "./words";

/** How long to wait for who this is and for the words of their language, before the page is shown all the same. */
const PATIENCE_MS = 600;

/** The other views, once there is nothing better to do: a place that is gone to is there at once, also while Prime is away. */
const fetchViews = (): void => void setTimeout(() => import("./views").catch(() => undefined), 1_000);

// First of all, who is it? Somebody who is not in yet sees the way in, and nothing is asked for that is not theirs.
void Promise.race([Promise.all([loadMe(), loadWords()]), new Promise((done) => setTimeout(done, PATIENCE_MS))]).then(() => {
  // What is asked for goes out first, and the page is drawn while it is on its way.
  void begin().then(startWorker).then(fetchViews);
  render(<App />, document.body);
});
