// An empty room: one sentence about what to do, and three ways to begin.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { HUB } from "../api/types";
import { suggestedText, writeMessage } from "../state/dialogs";
import { narrow, touch } from "../state/narrow";
import { follow, go, pathToChannel, place } from "../state/place";
import { status } from "../state/status";
import { words } from "../words";
import { Icon, type IconName } from "./Icon";

const ICONS: readonly IconName[] = ["rocket", "calendar", "people"];

/** Puts it where it can be read, changed and sent. */
function suggest(text: string): void {
  suggestedText.value = { text };
  if (narrow.value) go(pathToChannel(HUB));
}

/** Beside what waits there is no field; this leads to it. */
function write(event: MouseEvent): void {
  follow(event);
  requestAnimationFrame(writeMessage);
}

/** Whoever begins to type means the wish; a screen keyboard would cover the examples. */
function useReadyToType(): void {
  useEffect(() => {
    if (!narrow.value && !touch && document.activeElement === document.body) writeMessage();
  }, []);
}

export function FirstRun(): JSX.Element {
  const t = words();
  useReadyToType();
  const offline = status.value.state === "ready" && status.value.value.model === "offline";
  return (
    <div class="first">
      <h3>{t.firstTitle}</h3>
      <p class="first-line">{t.firstLine}</p>
      {narrow.value && place.value.view === "home" && (
        <a class="box first-write" href={pathToChannel(HUB)} onClick={write}>
          <Icon name="pencil" size={18} />
          {t.tellPrime}
        </a>
      )}
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
