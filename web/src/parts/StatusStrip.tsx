// The strip at the top: it says how Prime runs, and never more than is known.
import type { JSX } from "preact";
import type { Status } from "../api/types";
import { chooseTheme, theme, type Theme } from "../state/appearance";
import { dialog } from "../state/dialogs";
import { follow } from "../state/place";
import { link, status } from "../state/status";
import { chooseLanguage, language, words } from "../words";
import { plainNumber } from "../words/time";
import { Icon, type IconName } from "./Icon";
import { commandKey } from "./shortcuts";

const NEXT_THEME: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const THEME_ICON: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

export const themeName = (value: Theme): string =>
  ({ system: words().themeSystem, light: words().themeLight, dark: words().themeDark })[value];

export function engineName(model: string): string {
  if (!model) return words().modelUnknown;
  return model === "offline" ? words().offlineEngine : model;
}

function Pulse(): JSX.Element {
  const t = words();
  const now = status.value;
  if (link.value === "lost") return <Dot tone="lost" text={t.reconnecting} />;
  if (now.state !== "ready") return <Dot tone="lost" text={t.connecting} />;
  if (now.value.running) return <Dot tone="ok" text={t.running} />;
  return <Dot tone="paused" text={now.value.pausedBecause ? t.pausedBecause(now.value.pausedBecause) : t.paused} />;
}

function Dot({ tone, text }: { tone: "ok" | "paused" | "lost"; text: string }): JSX.Element {
  return (
    <span class="pulse" role="status">
      <span class={`dot ${tone}`} aria-hidden="true" />
      {text}
    </span>
  );
}

function Calls({ calls }: { calls: Status["calls"] }): JSX.Element {
  const t = words();
  const used = plainNumber(calls.used);
  const share = calls.cap > 0 ? Math.min(100, (100 * calls.used) / calls.cap) : 0;
  return (
    <span class="calls wide-only">
      {t.calls}
      {calls.cap > 0 && (
        <span class="bar" aria-hidden="true">
          <span class={share >= 90 ? "full" : ""} style={{ width: `${share}%` }} />
        </span>
      )}
      <span>{calls.cap > 0 ? t.callsOf(used, plainNumber(calls.cap)) : t.callsUsed(used)}</span>
    </span>
  );
}

export function StatusStrip(): JSX.Element {
  const t = words();
  const now = status.value.state === "ready" ? status.value.value : null;
  const other = language.value === "en" ? "zh" : "en";
  const themeLabel = t.useTheme(themeName(theme.value));
  return (
    <header class="strip">
      <a class="brand" href="/" onClick={follow}>
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
          <rect class="brand-ground" width="20" height="20" rx="6" />
          <path class="brand-line" d="M7 15V5.500h3.700a3.100 3.100 0 0 1 0 6.200H7" />
        </svg>
        {t.prime}
      </a>
      <Pulse />
      {now && <Calls calls={now.calls} />}
      {now && (
        <button type="button" class="chip" onClick={() => (dialog.value = "about")}>
          {engineName(now.model)}
        </button>
      )}
      {now && <span class="chip still wide-only">{t.autonomy(now.autonomyMode)}</span>}
      {now?.open && (
        <button type="button" class="chip warn" onClick={() => (dialog.value = "about")}>
          <Icon name="open" size={14} />
          {t.openChip}
        </button>
      )}
      <span class="push" />
      <button type="button" class="quiet find" aria-label={t.openPalette} onClick={() => (dialog.value = "palette")}>
        <Icon name="search" size={18} />
        <span class="wide-only">
          <kbd>{commandKey} K</kbd> {t.anything}
        </span>
      </button>
      <button type="button" class="quiet icon-only" aria-label={themeLabel} title={themeLabel} onClick={() => chooseTheme(NEXT_THEME[theme.value])}>
        <Icon name={THEME_ICON[theme.value]} size={18} />
      </button>
      <button type="button" class="quiet language" lang={other === "zh" ? "zh-Hans" : "en"} onClick={() => chooseLanguage(other)}>
        {t.otherLanguage}
      </button>
    </header>
  );
}
