import { render } from "preact";
import "./state/appearance";
import { begin } from "./state/live";
import { loadMe } from "./state/me";
import "./state/reading";
import { startWorker } from "./state/worker";
import { App } from "./parts/App";

/** How long to wait for who this is, before the page is shown all the same. */
const PATIENCE_MS = 600;

startWorker();
// First of all, who is it? Somebody who is not in yet sees the way in, and nothing is asked for that is not theirs.
void Promise.race([loadMe(), new Promise((done) => setTimeout(done, PATIENCE_MS))]).then(() => {
  begin();
  render(<App />, document.body);
});
