// Which language the page speaks: the person's choice, else the browser's. English is always there; another language is
// loaded when it is spoken.
import { computed, signal } from "@preact/signals";
import { kept } from "../state/kept";
import { en, type Words } from "./en";

export type Language = "en" | "zh";
export type { Words };

const NAMES: Record<Language, string> = { en: "English", zh: "中文" };
const catalogues = signal<Partial<Record<Language, Words>>>({ en });

function fromBrowser(): Language {
  for (const tag of navigator.languages) {
    if (tag.toLowerCase().startsWith("zh")) return "zh";
    if (tag.toLowerCase().startsWith("en")) return "en";
  }
  return "en";
}

const choice = kept.read("language");
export const language = signal<Language>(choice === "en" || choice === "zh" ? choice : fromBrowser());
const current = computed(() => catalogues.value[language.value] ?? en);

/** The words of the current language. Reading them in a component makes it follow the switch. */
export const words = (): Words => current.value;

/** Loads the words of the current language. Without them the page speaks English, which is better than nothing. */
export async function loadWords(): Promise<void> {
  if (catalogues.value[language.value]) return;
  try {
    const { zh } = await import("./zh");
    catalogues.value = { ...catalogues.value, zh };
  } catch {
    // Nobody answers; the page says so by itself.
  }
}

export const nameOfLanguage = (code: Language): string => NAMES[code];

export async function chooseLanguage(next: Language): Promise<void> {
  kept.write("language", next);
  language.value = next;
  await loadWords();
}
