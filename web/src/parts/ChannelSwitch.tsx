// Pauses one channel, or lets it go on; the others are not touched.
import type { JSX } from "preact";
import { asTrouble } from "../api/client";
import type { Channel } from "../api/types";
import { notify } from "../state/announce";
import { switchChannel } from "../state/channels";
import { useAct } from "../state/useAct";
import { words } from "../words";
import { Icon } from "./Icon";

export function ChannelSwitch({ channel }: { channel: Channel }): JSX.Element {
  const t = words();
  const { busy, act } = useAct();
  const turn = (): void =>
    void act(async () => {
      try {
        await switchChannel(channel);
      } catch (cause) {
        notify({ trouble: asTrouble(cause) });
      }
    });
  return (
    <button type="button" class={channel.paused ? "small go" : "small"} disabled={busy} aria-label={channel.paused ? t.resumeChannel(channel.name) : t.pauseChannel(channel.name)} onClick={turn}>
      <Icon name={channel.paused ? "play" : "pause"} size={14} />
      <span>{channel.paused ? t.resume : t.pauseOne}</span>
    </button>
  );
}
