// A call as a person reads it before they say yes.

/** What does not show, or changes the order of what does: a yes is given to what is there, not to what it looks like. */
const MISLEADING = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

/** The text with such characters named. */
export const legible = (text: string): string =>
  text.replace(MISLEADING, (char) => `‹U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}›`);

/** Words of a command line, each told apart from the next. */
export const asLine = (words: readonly unknown[]): string =>
  legible(words.map((word) => (/^[\w@%+=:,./-]+$/.test(String(word)) ? String(word) : `'${String(word).replaceAll("'", "'\\''")}'`)).join(" "));

/** The call as it would run. */
export function callText(call: Record<string, unknown>): string {
  const list = call["words"] ?? call["argv"];
  return Array.isArray(list) ? asLine(list) : legible(JSON.stringify(call, null, 2));
}
