// Light, dark, or as the system has it.
import { effect, signal } from "@preact/signals";
import { language } from "../words";
import { kept } from "./kept";

export type Theme = "light" | "dark" | "system";

const choice = kept.read("theme");
export const theme = signal<Theme>(choice === "light" || choice === "dark" ? choice : "system");

export function chooseTheme(next: Theme): void {
  kept.write("theme", next === "system" ? "" : next);
  theme.value = next;
}

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset["theme"];
  else dataset["theme"] = theme.value;
});

effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-Hans" : "en";
});
