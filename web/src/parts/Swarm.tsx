// The switch: everything pauses at once, and goes on where it stopped.
import type { JSX } from "preact";
import { asTrouble } from "../api/client";
import { hubApi } from "../api/hub";
import { notify } from "../state/announce";
import { ready } from "../state/loaded";
import { status } from "../state/status";
import { useAct } from "../state/useAct";
import { words } from "../words";
import { Icon } from "./Icon";

export function Swarm({ small }: { small?: boolean }): JSX.Element | null {
  const t = words();
  const { busy, act } = useAct();
  const now = status.value;
  if (now.state !== "ready") return null;
  const { running } = now.value;
  const turn = (): void =>
    void act(async () => {
      try {
        status.value = ready(await (running ? hubApi.pause() : hubApi.resume()));
      } catch (cause) {
        notify({ trouble: asTrouble(cause) });
      }
    });
  return (
    <button type="button" class={small ? "quiet swarm" : running ? "" : "go"} disabled={busy} onClick={turn}>
      <Icon name={running ? "pause" : "play"} size={16} />
      <span>{running ? t.pause : t.resume}</span>
    </button>
  );
}
