// The strip at the top: it says how Prime runs, and never more than is known.
import type { JSX } from "preact";
import type { Status } from "../api/types";
import { dialog } from "../state/dialogs";
import { follow } from "../state/place";
import { isGuest } from "../state/me";
import { answering, link, status } from "../state/status";
import { words } from "../words";
import { dollars, plainNumber } from "../words/format";
import { BrandMark, Icon } from "./Icon";
import { bannerFolded } from "./OpenBanner";
import { Preferences } from "./Preferences";
import { Swarm } from "./Swarm";
import { commandKey } from "./shortcuts";

export function engineName(model: string): string {
  if (!model) return words().modelUnknown;
  return model === "offline" ? words().offlineEngine : model;
}

function Pulse(): JSX.Element {
  const t = words();
  const now = status.value;
  if (link.value === "lost" || !answering.value) return <Dot tone="lost" text={t.reconnecting} />;
  if (isGuest.value) return <Dot tone="ok" text={t.connected} />;
  if (now.state === "loading") return <Dot tone="lost" text={t.connecting} />;
  if (now.state === "failed") return <Dot tone="lost" text={now.trouble.unreachable ? t.connecting : t.unwell} />;
  if (now.value.running) return <Dot tone="ok" text={t.running} />;
  return <Dot tone="paused" text={t.paused} />;
}

function Dot({ tone, text }: { tone: "ok" | "paused" | "lost"; text: string }): JSX.Element {
  return (
    <span class="pulse" role="status">
      <span class={`dot ${tone}`} aria-hidden="true" />
      {text}
    </span>
  );
}

function Calls({ calls, spend }: { calls: Status["calls"]; spend: Status["spend"] }): JSX.Element {
  const t = words();
  const used = plainNumber(calls.used);
  const share = calls.cap > 0 ? Math.min(100, (100 * calls.used) / calls.cap) : 0;
  return (
    <span class="calls">
      {t.calls}
      {calls.cap > 0 && (
        <span class="bar" aria-hidden="true">
          <span class={share >= 90 ? "full" : ""} style={{ width: `${share}%` }} />
        </span>
      )}
      <span>{calls.cap > 0 ? t.callsOf(used, plainNumber(calls.cap)) : t.callsUsed(used)}</span>
      {spend.dollars > 0 && <span>{dollars(spend.dollars)}</span>}
      {!spend.priced && <span title={t.priceUnknownWhy}>{t.priceUnknown}</span>}
    </span>
  );
}

export function StatusStrip(): JSX.Element {
  const t = words();
  const now = status.value.state === "ready" ? status.value.value : null;
  return (
    <header class="strip">
      <a class="brand" href="/" aria-label={t.prime} onClick={follow}>
        <BrandMark size={20} />
        <span>{t.prime}</span>
      </a>
      <Pulse />
      {/* The offline engine asks no model for anything: there is nothing to count. */}
      {now && (now.model !== "offline" || now.calls.used > 0) && <Calls calls={now.calls} spend={now.spend} />}
      {now && (
        <button type="button" class="chip" onClick={() => (dialog.value = "about")}>
          {engineName(now.model)}
        </button>
      )}
      {now && (
        <a class="chip still" href="/settings/autonomy" onClick={follow}>
          {t.autonomy(now.autonomyMode)}
        </a>
      )}
      {now?.open && bannerFolded.value && (
        <button type="button" class="chip warn" onClick={() => (dialog.value = "about")}>
          <Icon name="open" size={14} />
          <span>{t.openChip}</span>
        </button>
      )}
      {now && <Swarm small />}
      <span class="push" />
      <button type="button" class="quiet find" onClick={() => (dialog.value = "palette")}>
        <Icon name="search" size={18} />
        <span class="sr">{t.openPalette}</span>
        <span class="wide-only" aria-hidden="true">
          <kbd>{commandKey} K</kbd> {t.anything}
        </span>
      </button>
      <Preferences />
    </header>
  );
}
