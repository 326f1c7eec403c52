// Finds a sentence of the server in a catalogue of another language, where `{}` stands for what is filled in.
import type { Sayings } from "./said";

/** Longer ones are quoted output; looking for places to fill in would take too long. */
const LONGEST = 500;
/** A template with fewer letters than this fits nearly everything, and counts only when what is filled in is known, too. */
const FEW_LETTERS = 6;
const SLOT = /\{(\d?)\}/g;

interface Template {
  fits: RegExp;
  letters: number;
  inWords: string;
}

const asTemplate = ([sentence, inWords]: [string, string]): Template => {
  const parts = sentence.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { fits: new RegExp(`^${parts.join("([\\s\\S]*?)")}$`), letters: (sentence.match(/[a-z]/gi) ?? []).length, inWords };
};

/** A name in plain quotes is quoted as people do. */
const quoted = (value: string): string => value.replace(/^'([^']*)'$/, "“$1”");

/** What is filled in takes the place that its number says, else the next one. */
function filled(inWords: string, values: readonly string[]): string {
  let next = 0;
  return inWords.replace(SLOT, (_, place: string) => values[place ? Number(place) : next++] ?? "");
}

/** A reader of one catalogue. Exact sentences first, then the template that says most, then sentence by sentence. */
export function sayingsOf(sentences: Readonly<Record<string, string>>): Sayings {
  const templates = Object.entries(sentences)
    .filter(([sentence]) => sentence.includes("{}"))
    .map(asTemplate)
    .sort((a, b) => b.letters - a.letters);
  const known = new Map<string, string | null>();
  const byTemplate = (sentence: string): string | null => {
    for (const { fits, letters, inWords } of templates) {
      const values = fits.exec(sentence)?.slice(1);
      if (!values) continue;
      const said = values.map((value) => sentences[value] ?? (value === sentence ? null : say(value)));
      if (letters < FEW_LETTERS && said.every((each) => each === null)) continue;
      return filled(inWords, values.map((value, place) => said[place] ?? quoted(value)));
    }
    return null;
  };
  const oneByOne = (text: string): string | null => {
    const parts = text.split(/(?<=[.?…])\s+(?=[A-Z`“'])/);
    const said = parts.map((part) => (parts.length > 1 ? say(part) : null));
    return said.every((each) => each === null) ? null : said.map((each, place) => each ?? ` ${parts[place]} `).join("").trim();
  };
  const find = (sentence: string): string | null => sentences[sentence] ?? (sentence.length > LONGEST ? null : (byTemplate(sentence) ?? oneByOne(sentence)));
  const say: Sayings = (sentence) => {
    const trimmed = sentence.trim();
    if (!trimmed) return null;
    if (!known.has(trimmed)) known.set(trimmed, find(trimmed));
    return known.get(trimmed) ?? null;
  };
  return say;
}
