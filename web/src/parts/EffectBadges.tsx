import type { JSX } from "preact";
import type { Effects } from "../api/tools";
import { words } from "../words";
import { badges } from "./badges";

export function EffectBadges({ effects, most = 9 }: { effects: Effects; most?: number }): JSX.Element {
  const all = badges(effects);
  return (
    <span class="badges" role="list" aria-label={words().tools.effects}>
      {all.slice(0, most).map((badge) => (
        <span key={badge.text} class={`badge ${badge.tone}`} role="listitem">
          {badge.text}
        </span>
      ))}
    </span>
  );
}
