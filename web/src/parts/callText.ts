import { visible } from "./visible";

const asWord = (part: unknown): string => (/^[\w@%+=:,./-]+$/.test(String(part)) ? String(part) : `'${String(part).replaceAll("'", `'"'"'`)}'`);

/** Words of a command line, each told apart from the next. */
export const asLine = (words: readonly unknown[]): string => visible(words.map(asWord).join(" "));

/** The call as it would run, in full. */
export function callText(call: Record<string, unknown>): string {
  const list = call["words"] ?? call["argv"];
  return Array.isArray(list) ? asLine(list) : visible(JSON.stringify(call, null, 2));
}
