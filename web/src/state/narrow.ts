// How much room there is: one pane and tabs, or two panes where the middle one has little.
import { signal, type Signal } from "@preact/signals";

function fits(query: string): Signal<boolean> {
  const screen = matchMedia(query);
  const now = signal(screen.matches);
  screen.addEventListener("change", () => (now.value = screen.matches));
  return now;
}

export const narrow = fits("(max-width: 899px)");
export const cramped = fits("(max-width: 1139px)");
