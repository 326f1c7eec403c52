// Who is who.
import { signal } from "@preact/signals";
import { api } from "../api/client";
import { everyPage } from "../api/everyPage";
import { OWNER, PRIME, type Actor } from "../api/types";
import { words } from "../words";
import { selfId } from "./me";

export const actors = signal<ReadonlyMap<string, Actor>>(new Map());

export async function loadActors(): Promise<void> {
  try {
    const items = await everyPage(() => api.actors());
    actors.value = new Map(items.map((actor) => [actor.id, actor]));
  } catch {
    // Names are a comfort: the page does without them, and the next reconnect tries again.
  }
}

/** Who was asked about and may have no name at all. */
const asked = new Set<string>([OWNER, PRIME]);
let asking = false;

/** Somebody whom nobody has named yet has joined: asked about together with who else comes in that moment. */
export function meet(actorIds: readonly string[]): void {
  const strangers = actorIds.filter((id) => !actors.value.has(id) && !asked.has(id));
  if (strangers.length === 0) return;
  for (const id of strangers) asked.add(id);
  if (asking) return;
  asking = true;
  setTimeout(() => {
    asking = false;
    void loadActors();
  }, 150);
}

/** A made-up id says nothing to anybody. */
const MADE_UP = /^[a-z0-9]{16,}$/;

export function nameOf(actorId: string): string {
  if (actorId === selfId.value) return words().you;
  if (actorId === OWNER) return words().owner;
  if (actorId === PRIME) return words().prime;
  const known = actors.value.get(actorId)?.name;
  if (known) return known;
  const own = actorId.replace(/^act_/, "");
  return MADE_UP.test(own) || !own ? words().unknownActor : own;
}
