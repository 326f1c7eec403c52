import { visible } from "./visible";

const asWord = (part: unknown): string => (/^[\w@%+=:,./-]+$/.test(String(part)) ? String(part) : `'${String(part).replaceAll("'", `'"'"'`)}'`);

/** The call as it would run, in full. */
export function callText(call: Record<string, unknown>): string {
  const list = call["words"] ?? call["argv"];
  return visible(Array.isArray(list) ? list.map(asWord).join(" ") : JSON.stringify(call, null, 2));
}
