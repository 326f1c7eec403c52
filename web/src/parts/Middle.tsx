// The middle pane: a conversation, or a view that is loaded when somebody first goes there.
import type { JSX } from "preact";
import { openView, type ViewName } from "../state/place";
import { words } from "../words";
import { Conversation } from "./Conversation";
import { Lazy, type Loader } from "./Lazy";
import { Bones } from "./View";

const VIEWS: Record<ViewName, Loader> = {
  room: () => import("../views/Room"),
  recall: () => import("../views/Recall"),
  tools: () => import("../views/Tools"),
  scripts: () => import("../views/Scripts"),
  network: () => import("../views/Network"),
  rules: () => import("../views/Rules"),
  insight: () => import("../views/Insight"),
  "sign-in": () => import("../views/SignIn"),
  invite: () => import("../views/Invite"),
  settings: () => import("../views/Settings"),
};

export function Middle(): JSX.Element {
  const name = openView.value;
  if (!name) return <Conversation />;
  return (
    <section class="talk" id="conversation" tabIndex={-1} aria-label={words().view}>
      <Lazy
        key={name}
        load={VIEWS[name]}
        waiting={
          <div class="view-in">
            <Bones />
          </div>
        }
      />
    </section>
  );
}
