// Why everything stands still, when it was not the person who stopped it, and the way on.
import type { JSX } from "preact";
import { status } from "../state/status";
import { words } from "../words";
import { inWords } from "../words/said";
import { Icon } from "./Icon";
import { Swarm } from "./Swarm";

/** Whether it stands above everything; its switch is enough then. */
export function isPausedByItself(): boolean {
  const now = status.value;
  return now.state === "ready" && !now.value.running && !!now.value.pausedBecause && now.value.pausedCode !== "owner";
}

export function PauseBanner(): JSX.Element | null {
  if (status.value.state !== "ready" || !isPausedByItself()) return null;
  const { pausedBecause, pausedCode } = status.value.value;
  return (
    <aside class="banner calm-banner" aria-label={words().paused}>
      <Icon name="pause" size={18} />
      <p>{words().pausedBy(pausedCode ?? "") ?? inWords(pausedBecause ?? "")}</p>
      <Swarm />
    </aside>
  );
}
