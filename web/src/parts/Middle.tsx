// The middle pane: a conversation, or a view that is loaded when somebody first goes there.
import type { JSX } from "preact";
import { openView, type ViewName } from "../state/place";
import { words } from "../words";
import { Conversation } from "./Conversation";
import { Lazy, laterView, type Loader } from "./Lazy";
import { Bones } from "./View";

const VIEWS: Record<ViewName, Loader> = {
  room: laterView("room"),
  recall: laterView("recall"),
  tools: laterView("tools"),
  scripts: laterView("scripts"),
  network: laterView("network"),
  rules: laterView("rules"),
  insight: laterView("insight"),
  "sign-in": laterView("signIn"),
  invite: laterView("invite"),
  settings: laterView("settings"),
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
