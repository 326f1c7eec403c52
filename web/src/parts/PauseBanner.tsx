// Why everything stands still, when it was not the person who stopped it, and the way on.
import type { JSX } from "preact";
import type { Status } from "../api/types";
import { status } from "../state/status";
import { beginNewCount } from "../state/swarm";
import { useAct } from "../state/useAct";
import { words } from "../words";
import { inWords } from "../words/said";
import { Icon } from "./Icon";
import { Swarm } from "./Swarm";

/** Whether a model may be asked nothing more. Where no room goes on by itself nothing pauses, and it is as much in the way. */
const isSpent = ({ model, calls, pausedCode }: Status): boolean => pausedCode === "spend" || (model !== "offline" && calls.used >= calls.cap);

/** Whether it stands above everything; its switch is enough then. */
export function isPausedByItself(): boolean {
  const now = status.value;
  return now.state === "ready" && !now.value.running && !!now.value.pausedBecause && now.value.pausedCode !== "owner";
}

function NewCount(): JSX.Element {
  const { busy, act } = useAct();
  return (
    <button type="button" disabled={busy} onClick={() => void act(beginNewCount)}>
      {words().newCount}
    </button>
  );
}

export function PauseBanner(): JSX.Element | null {
  if (status.value.state !== "ready") return null;
  const now = status.value.value;
  const [paused, spent] = [isPausedByItself(), isSpent(now)];
  if (!paused && !spent) return null;
  const why = spent ? words().pausedBy("spend") : (words().pausedBy(now.pausedCode ?? "") ?? inWords(now.pausedBecause ?? ""));
  return (
    <aside class="banner calm-banner" aria-label={words().paused}>
      <Icon name="pause" size={18} />
      <p>{why}</p>
      {spent && <NewCount />}
      {paused && <Swarm />}
    </aside>
  );
}
