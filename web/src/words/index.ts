// Which language the page speaks: the person's choice, else the browser's. English is always there; another language is
// loaded when it is spoken.
import { computed, signal } from "@preact/signals";
import { kept } from "../state/kept";
import { en, type FirstWords } from "./en";
import type { later } from "./en/later";
import { spoken } from "./said";

export type Language = "en" | "zh";
export type Words = FirstWords & typeof later;

const NAMES: Record<Language, string> = { en: "English", zh: "中文" };
const catalogues = signal<Partial<Record<Language, FirstWords>>>({ en });

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

/** The words of the current language that the first view needs. Reading them in a component makes it follow the switch. */
export const words = (): FirstWords => current.value;

/** Loads the words of the current language. Without them the page speaks English, which is better than nothing. */
export async function loadWords(): Promise<void> {
  if (language.value === "en") {
    spoken.value = null;
    return;
  }
  try {
    const { zh, loadSayings } = await import("./zh");
    catalogues.value = { ...catalogues.value, zh };
    // Nobody waits for what the server says: until it is there, the server's own words are.
    loadSayings().then((said) => (spoken.value = language.value === "zh" ? said : null), () => undefined);
  } catch {
    // Nobody answers; the page says so by itself.
  }
}

export const nameOfLanguage = (code: Language): string => NAMES[code];

export async function chooseLanguage(next: Language): Promise<void> {
  kept.write("language", next);
  language.value = next;
  // Nobody waits for it: where the server does not answer, notifications stay as they were.
  void import("../state/push").then(({ followLanguage }) => followLanguage()).catch(() => undefined);
  await loadWords();
}
