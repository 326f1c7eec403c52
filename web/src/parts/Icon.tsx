// One set of icons: 20 by 20, strokes of 1.5, drawn with the colour of the text around them.
import type { JSX } from "preact";

const PATHS = {
  inbox: "M3 11.5 5.2 4.8A1.5 1.5 0 0 1 6.6 3.8h6.8a1.5 1.5 0 0 1 1.4 1l2.2 6.7M3 11.5v3.2a1.5 1.5 0 0 0 1.5 1.5h11a1.5 1.5 0 0 0 1.5-1.5v-3.2M3 11.5h3.9l1 2h4.2l1-2H17",
  chat: "M4.5 4h11A1.5 1.5 0 0 1 17 5.500v7a1.500 1.500 0 0 1-1.500 1.500H9l-3.500 3v-3h-1A1.500 1.500 0 0 1 3 12.500v-7A1.500 1.500 0 0 1 4.500 4Z",
  list: "M7.500 5.500H17M7.500 10H17M7.500 14.500H17M3.500 5.500h.01M3.500 10h.01M3.500 14.500h.01",
  plus: "M10 4v12M4 10h12",
  close: "m5 5 10 10M15 5 5 15",
  send: "M10 16V4.500M5 9l5-4.500L15 9",
  down: "M10 4v11.500M5 11l5 4.500L15 11",
  back: "M12 4.500 6.500 10l5.500 5.500",
  search: "M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11ZM13 13l3.500 3.500",
  sun: "M10 13.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400ZM10 2.800v1.400M10 15.800v1.400M2.800 10h1.400M15.800 10h1.400M4.900 4.900l1 1M14.100 14.100l1 1M15.100 4.900l-1 1M5.900 14.100l-1 1",
  moon: "M16.500 11.800A6.800 6.800 0 0 1 8.200 3.500a6.800 6.800 0 1 0 8.300 8.300Z",
  system: "M3.500 4.500h13v8.500h-13zM7.500 16h5M10 13v3",
  language: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM3 10h14M10 3c2 2 2.800 4.300 2.800 7s-.8 5-2.800 7c-2-2-2.800-4.300-2.800-7S8 5 10 3Z",
  keyboard: "M3 5.500h14a.5.5 0 0 1 .5.5v8a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5V6a.5.5 0 0 1 .5-.5ZM5.500 8.500h.01M8.500 8.500h.01M11.500 8.500h.01M14.500 8.500h.01M7 11.700h6",
  copy: "M7.500 7.500h8v8h-8zM12.500 7.500v-3h-8v8h3",
  check: "m4.500 10.500 3.500 3.500 7.500-8",
  alert: "M10 3.500 17.500 16.500h-15L10 3.500ZM10 8.500v3.500M10 14.200h.01",
  open: "M5.500 9h9v7.500h-9zM7.500 9V6.500a2.700 2.700 0 0 1 5.200-1",
  tool: "M12.500 3.500a4 4 0 0 0-3.700 5.500L3.500 14.300l2.200 2.200L11 11.200a4 4 0 0 0 5.500-3.700l-2.300 2.300-2-.5-.5-2 2.300-2.300a4 4 0 0 0-1.500-1.500Z",
  chip: "M6 6h8v8H6zM8.500 3v3M11.500 3v3M8.500 14v3M11.500 14v3M3 8.500h3M3 11.500h3M14 8.500h3M14 11.500h3",
  people: "M7.500 9.500a2.700 2.700 0 1 0 0-5.400 2.700 2.700 0 0 0 0 5.400ZM2.800 15.800c.3-2.600 2.200-4 4.700-4s4.400 1.400 4.700 4M13 4.500a2.500 2.500 0 0 1 0 4.800M14.500 12.100c1.500.5 2.500 1.800 2.700 3.700",
  rocket: "M8 12.500 5 9.500 7.500 7c2-3.200 5-4.300 9-3.500.8 4-.3 7-3.500 9l-2.500 2.500-2.500-2.500ZM5 13l-1.500 3.500L7 15M12.500 7.500h.01",
  calendar: "M3.500 5h13v11.500h-13zM3.500 8.500h13M7 3v3.500M13 3v3.500M7 12l2 2 4-3.500",
  pencil: "m4 16 .8-3.500L13.300 4l2.700 2.700-8.500 8.500L4 16ZM11.500 5.800l2.700 2.700",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The tier as a shape: colour alone does not say it. */
export function TierMark({ tier }: { tier: string }): JSX.Element {
  return (
    <svg class={`tier-mark ${tier}`} width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      {tier === "team" && <rect x="1" y="1" width="8" height="8" rx="2" />}
      {tier === "business_relation" && <rect x="1.800" y="1.800" width="6.400" height="6.400" rx="1" transform="rotate(45 5 5)" />}
      {tier === "external" && <circle class="ring" cx="5" cy="5" r="3.250" />}
    </svg>
  );
}
