// The switch: everything pauses at once, and goes on where it stopped.
import type { JSX } from "preact";
import { status } from "../state/status";
import { switchSwarm } from "../state/swarm";
import { useAct } from "../state/useAct";
import { words } from "../words";
import { Icon } from "./Icon";

export function Swarm({ small }: { small?: boolean }): JSX.Element | null {
  const t = words();
  const { busy, act } = useAct();
  const now = status.value;
  if (now.state !== "ready") return null;
  const { running } = now.value;
  return (
    <button type="button" class={small ? "quiet swarm" : running ? "" : "go"} disabled={busy} onClick={() => void act(switchSwarm)}>
      <Icon name={running ? "pause" : "play"} size={16} />
      <span>{running ? t.pause : t.resume}</span>
    </button>
  );
}
