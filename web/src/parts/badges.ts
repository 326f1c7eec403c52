// What a tool may do, in a few words; unknown is said, never taken for harmless.
import type { Effects } from "../api/tools";
import { words } from "../words";
import { asked, onlyReads } from "./effects";

export interface Badge {
  text: string;
  tone: "safe" | "plain" | "warn" | "bad";
}

/** Of a call that is asked about: were it harmless, nobody would be asked. */
export const askedBadges = (effects: Effects, codes: readonly string[]): Badge[] =>
  badges(asked(effects, codes)).filter((badge) => badge.tone !== "safe");

export function badges(effects: Effects): Badge[] {
  const t = words().tools.effect;
  const found: Badge[] = [];
  if (onlyReads(effects)) found.push({ text: t.readOnly, tone: "safe" });
  if (effects.destructive) found.push({ text: t.destructive, tone: "bad" });
  if (effects.destructive === undefined) found.push({ text: t.unknown, tone: "warn" });
  if (effects.reversible === false) found.push({ text: t.notReversible, tone: "warn" });
  if (effects.cost?.billable) found.push({ text: t.billable, tone: "warn" });
  if (effects.filesystem?.delete) found.push({ text: t.deletes, tone: "warn" });
  else if (effects.filesystem?.write) found.push({ text: t.writes, tone: "plain" });
  if (effects.network) found.push({ text: t.network, tone: "plain" });
  if (effects.subprocess) found.push({ text: t.subprocess, tone: "plain" });
  return found;
}
