import { render } from "preact";
import "./state/appearance";
import { begin } from "./state/live";
import "./state/reading";
import { startWorker } from "./state/worker";
import { App } from "./parts/App";

begin();
render(<App />, document.body);
startWorker();
