// The effects that a delegation can take away, and how a document writes each.
import type { Delegation, Restrictions } from "../../api/policy";

export const TAKEN = ["destructive", "network", "subprocess", "billable", "filesystem.read", "filesystem.write", "filesystem.delete", "reversible", "idempotent"] as const;
export type Taken = (typeof TAKEN)[number];

/** These are asked for, the others are forbidden. */
const safe = (effect: Taken): boolean => effect === "reversible" || effect === "idempotent";

function valueOf(given: Restrictions, effect: Taken): boolean | undefined {
  if (effect === "billable") return given.cost?.billable;
  if (effect === "filesystem.read") return given.filesystem?.read;
  if (effect === "filesystem.write") return given.filesystem?.write;
  if (effect === "filesystem.delete") return given.filesystem?.delete;
  return given[effect];
}

export const takenBy = (delegation: Delegation | undefined): Taken[] => TAKEN.filter((effect) => valueOf(delegation?.effectRestrictions ?? {}, effect) === safe(effect));

export function restrictionsOf(taken: readonly Taken[]): Restrictions {
  const made: Restrictions = {};
  for (const effect of taken) {
    if (effect === "billable") made.cost = { billable: false };
    else if (effect === "filesystem.read") made.filesystem = { ...made.filesystem, read: false };
    else if (effect === "filesystem.write") made.filesystem = { ...made.filesystem, write: false };
    else if (effect === "filesystem.delete") made.filesystem = { ...made.filesystem, delete: false };
    else made[effect] = safe(effect);
  }
  return made;
}
