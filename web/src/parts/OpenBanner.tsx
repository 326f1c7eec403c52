// Said plainly as long as nobody owns this Prime. It can be folded for this visit; the strip keeps saying it.
import type { JSX } from "preact";
import { signal } from "@preact/signals";
import { me } from "../state/me";
import { follow } from "../state/place";
import { status } from "../state/status";
import { words } from "../words";
import { Icon } from "./Icon";

function foldedBefore(): boolean {
  try {
    return sessionStorage.getItem("prime:open-banner") === "folded";
  } catch {
    return false;
  }
}

export const bannerFolded = signal(foldedBefore());

function fold(): void {
  bannerFolded.value = true;
  try {
    sessionStorage.setItem("prime:open-banner", "folded");
  } catch {
    // Then it is shown again after a reload.
  }
}

/** Who this is was asked before the first drawing and says it too: a banner that came later would push everything down. */
const isOpen = (): boolean => (status.value.state === "ready" ? status.value.value.open : (me.value?.open ?? false));

export function OpenBanner(): JSX.Element | null {
  if (!isOpen() || bannerFolded.value) return null;
  const t = words();
  return (
    <aside class="banner" aria-label={t.access}>
      <Icon name="open" size={18} />
      <p>
        <strong>{t.openBanner}</strong> <span class="banner-step">{t.openStep}</span>
        <a class="banner-how" href="/settings/account" onClick={follow}>
          {t.openHow}
        </a>
      </p>
      <button type="button" class="quiet small" onClick={fold}>
        {t.dismiss}
      </button>
    </aside>
  );
}
