// Appearance and language: in the strip where there is room, under the channels on a phone.
import type { JSX } from "preact";
import { chooseTheme, theme, type Theme } from "../state/appearance";
import { chooseLanguage, language, words } from "../words";
import { Icon, type IconName } from "./Icon";

const NEXT_THEME: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const THEME_ICON: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

export const themeName = (value: Theme): string =>
  ({ system: words().themeSystem, light: words().themeLight, dark: words().themeDark })[value];

export function Preferences(): JSX.Element {
  const t = words();
  const other = language.value === "en" ? "zh" : "en";
  const themeLabel = t.useTheme(themeName(theme.value));
  return (
    <span class="preferences">
      <button type="button" class="quiet icon-only" aria-label={themeLabel} title={themeLabel} onClick={() => chooseTheme(NEXT_THEME[theme.value])}>
        <Icon name={THEME_ICON[theme.value]} size={18} />
      </button>
      <button type="button" class="quiet language" lang={other === "zh" ? "zh-Hans" : "en"} onClick={() => void chooseLanguage(other)}>
        <Icon name="language" size={18} />
        {t.otherLanguage}
      </button>
    </span>
  );
}
