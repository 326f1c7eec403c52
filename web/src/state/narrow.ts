// How much room there is: one pane and tabs, and whether the middle one has little.
import { signal, type Signal } from "@preact/signals";

function fits(query: string): Signal<boolean> {
  const screen = matchMedia(query);
  const now = signal(screen.matches);
  screen.addEventListener("change", () => (now.value = screen.matches));
  return now;
}

export const narrow = fits("(max-width: 899px)");
/** Whether fingers point here, and a keyboard comes only with a field. */
export const touch = matchMedia("(pointer: coarse)").matches;
/** Where a drawing has no more room than on a phone: on one, or beside what waits on a small screen. */
export const cramped = fits("(max-width: 639px), (min-width: 900px) and (max-width: 1139px)");
