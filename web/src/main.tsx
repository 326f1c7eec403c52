import { render } from "preact";
import "./state/appearance";
import { begin } from "./state/live";
import "./state/reading";
import { App } from "./parts/App";

begin();
render(<App />, document.body);
