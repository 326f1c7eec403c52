// An empty room: one sentence about what to do, and three ways to begin.
import type { JSX } from "preact";
import { HUB } from "../api/types";
import { suggestedText } from "../state/dialogs";
import { narrow } from "../state/narrow";
import { follow, go, pathToChannel } from "../state/place";
import { status } from "../state/status";
import { words } from "../words";
import { Icon, type IconName } from "./Icon";

const ICONS: readonly IconName[] = ["rocket", "calendar", "people"];

/** Puts it where it can be read, changed and sent. */
function suggest(text: string): void {
  suggestedText.value = { text };
  if (narrow.value) go(pathToChannel(HUB));
}

export function FirstRun(): JSX.Element {
  const t = words();
  const offline = status.value.state === "ready" && status.value.value.model === "offline";
  return (
    <div class="first">
      <h3>{t.firstTitle}</h3>
      <p class="first-line">{t.firstLine}</p>
      <p class="first-or">{t.firstExamples}</p>
      <ul class="examples">
        {t.examples.map((example, index) => (
          <li key={index}>
            <button type="button" onClick={() => suggest(example.text)}>
              <Icon name={ICONS[index] ?? "chat"} size={22} />
              <span>
                <b>{example.title}</b>
                <span>{example.text}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {offline && (
        <p class="first-offline">
          <Icon name="chip" size={16} />
          <span>
            {t.firstOffline}{" "}
            <a href="/settings/model" onClick={follow}>
              {t.howToConnect}
            </a>
          </span>
        </p>
      )}
    </div>
  );
}
