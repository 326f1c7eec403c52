// Which language the page speaks: the person's choice, else the browser's.
import { computed, signal } from "@preact/signals";
import { kept } from "../state/kept";
import { en, type Words } from "./en";
import { zh } from "./zh";

export type Language = "en" | "zh";
export type { Words };

const catalogues: Record<Language, Words> = { en, zh };

function fromBrowser(): Language {
  for (const tag of navigator.languages) {
    if (tag.toLowerCase().startsWith("zh")) return "zh";
    if (tag.toLowerCase().startsWith("en")) return "en";
  }
  return "en";
}

const choice = kept.read("language");
export const language = signal<Language>(choice === "en" || choice === "zh" ? choice : fromBrowser());
const current = computed(() => catalogues[language.value]);

/** The words of the current language. Reading them in a component makes it follow the switch. */
export const words = (): Words => current.value;

export const nameOfLanguage = (code: Language): string => catalogues[code].name;

export function chooseLanguage(next: Language): void {
  kept.write("language", next);
  language.value = next;
}
