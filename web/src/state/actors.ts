// Who is who.
import { signal } from "@preact/signals";
import { api, everyPage } from "../api/client";
import { OWNER, PRIME, type Actor } from "../api/types";
import { words } from "../words";

export const actors = signal<ReadonlyMap<string, Actor>>(new Map());

export async function loadActors(): Promise<void> {
  try {
    const items = await everyPage(() => api.actors());
    actors.value = new Map(items.map((actor) => [actor.id, actor]));
  } catch {
    // Names are a comfort: without them the page shows ids, and the next reconnect tries again.
  }
}

export function nameOf(actorId: string): string {
  if (actorId === OWNER) return words().you;
  if (actorId === PRIME) return words().prime;
  return actors.value.get(actorId)?.name ?? (actorId.replace(/^act_/, "") || words().unknownActor);
}
