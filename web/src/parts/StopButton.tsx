// Stops who is writing in a channel. It stands beside the field, where it does not move while the words come.
import type { JSX } from "preact";
import { api, asTrouble } from "../api/client";
import { announce, notify } from "../state/announce";
import { turnsIn } from "../state/turns";
import { useAct } from "../state/useAct";
import { words } from "../words";
import { Icon } from "./Icon";

export function StopButton({ channelId }: { channelId: string }): JSX.Element | null {
  const t = words();
  const { busy, act } = useAct();
  // Only a turn that can be named can be stopped, and only before its last words.
  if (!turnsIn(channelId).some((turn) => turn.turnId && !turn.done)) return null;
  const stop = (): void =>
    void act(async () => {
      try {
        const { stopped } = await api.stop(channelId);
        if (stopped) announce(t.stopped);
      } catch (cause) {
        notify({ trouble: asTrouble(cause) });
      }
    });
  return (
    <button type="button" class="stop" disabled={busy} onClick={stop}>
      <Icon name="stop" size={16} />
      <span>{t.stop}</span>
    </button>
  );
}
