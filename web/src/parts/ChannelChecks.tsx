// Channels to tick, the owner's own room left out.
import type { JSX } from "preact";
import { HUB } from "../api/types";
import { inOrder } from "../state/channels";
import { TierMark } from "./Icon";

interface Props {
  legend: string;
  chosen: readonly string[];
  choose: (ids: readonly string[]) => void;
}

export function ChannelChecks({ legend, chosen, choose }: Props): JSX.Element {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="member-list">
        {inOrder.value
          .filter((channel) => channel.id !== HUB)
          .map((channel) => (
            <label class="check" key={channel.id}>
              <input
                type="checkbox"
                checked={chosen.includes(channel.id)}
                onChange={(event) => choose(event.currentTarget.checked ? [...chosen, channel.id] : chosen.filter((id) => id !== channel.id))}
              />
              <span class="with-mark">
                <TierMark tier={channel.tier} /> {channel.name}
              </span>
            </label>
          ))}
      </div>
    </fieldset>
  );
}
