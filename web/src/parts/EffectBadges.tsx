import type { JSX } from "preact";
import type { Effects } from "../api/tools";
import { words } from "../words";
import { badges, type Badge } from "./badges";

export function EffectBadges({ effects, most = 9 }: { effects: Effects; most?: number }): JSX.Element {
  return <Badges all={badges(effects).slice(0, most)} />;
}

export function Badges({ all }: { all: readonly Badge[] }): JSX.Element {
  return (
    <span class="badges" role="list" aria-label={words().tools.effects}>
      {all.map((badge) => (
        <span key={badge.text} class={`badge ${badge.tone}`} role="listitem">
          {badge.text}
        </span>
      ))}
    </span>
  );
}
