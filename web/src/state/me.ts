// Who this browser is to Prime: the owner, a guest of some channels, or nobody yet.
import { computed, signal } from "@preact/signals";
import { accountApi, type Me } from "../api/account";
import { OWNER } from "../api/types";

export const me = signal<Me | null>(null);

export const isGuest = computed(() => me.value?.role === "guest");
/** Who speaks in this browser. */
export const selfId = computed(() => (isGuest.value && me.value?.actorId) || OWNER);
export const isNobody = computed(() => me.value?.role === "nobody");
/** Whether what only the owner may see is to be asked for. */
export const isOwner = (): boolean => me.value === null || me.value.role === "owner";

export async function loadMe(): Promise<void> {
  try {
    me.value = await accountApi.me();
  } catch {
    // Then nobody answers at all, which the strip says.
  }
}
