// Whether this is a narrow screen: one pane and tabs.
import { signal } from "@preact/signals";

const screen = matchMedia("(max-width: 759px)");
export const narrow = signal(screen.matches);
screen.addEventListener("change", () => (narrow.value = screen.matches));
