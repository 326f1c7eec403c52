// Why everything stands still, when it was not the person who stopped it, and the way on.
import type { JSX } from "preact";
import { status } from "../state/status";
import { words } from "../words";
import { inWords } from "../words/said";
import { Icon } from "./Icon";
import { Swarm } from "./Swarm";

export function PauseBanner(): JSX.Element | null {
  if (status.value.state !== "ready") return null;
  const { running, pausedBecause, pausedCode } = status.value.value;
  if (running || !pausedBecause || pausedCode === "owner") return null;
  return (
    <aside class="banner calm-banner" aria-label={words().paused}>
      <Icon name="pause" size={18} />
      <p>{words().pausedBy(pausedCode ?? "") ?? inWords(pausedBecause)}</p>
      <Swarm />
    </aside>
  );
}
