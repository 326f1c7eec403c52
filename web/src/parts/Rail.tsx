// The places of the page, at the left edge; on a phone they are above the channels.
import type { JSX } from "preact";
import { follow, place, type Place } from "../state/place";
import { words } from "../words";
import { Icon, type IconName } from "./Icon";

export interface Spot {
  view: Exclude<Place["view"], "channels" | "channel" | "sign-in" | "invite">;
  href: string;
  icon: IconName;
}

export const SPOTS: readonly Spot[] = [
  { view: "home", href: "/", icon: "chat" },
  { view: "room", href: "/room", icon: "map" },
  { view: "recall", href: "/recall", icon: "search" },
  { view: "rules", href: "/rules", icon: "rule" },
  { view: "tools", href: "/tools", icon: "tool" },
  { view: "scripts", href: "/scripts", icon: "script" },
  { view: "network", href: "/network", icon: "network" },
  { view: "insight", href: "/insight", icon: "chart" },
  { view: "settings", href: "/settings", icon: "settings" },
];

const isAt = (spot: Spot): boolean => {
  const { view } = place.value;
  return view === spot.view || (spot.view === "home" && (view === "channel" || view === "channels"));
};

export function Rail(): JSX.Element {
  const t = words();
  return (
    <nav class="rail" aria-label={t.places}>
      {SPOTS.map((spot) => (
        <a key={spot.view} class={spot.view === "settings" ? "last" : ""} href={spot.href} onClick={follow} aria-current={isAt(spot) ? "page" : undefined}>
          <Icon name={spot.icon} />
          <span>{t.placeName[spot.view]}</span>
        </a>
      ))}
    </nav>
  );
}
