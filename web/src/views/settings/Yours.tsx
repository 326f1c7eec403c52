// What this browser remembers for the person: appearance, language, keys.
import type { JSX } from "preact";
import { themeName } from "../../parts/Preferences";
import { Segments } from "../../parts/Segments";
import { setSingleKeys, singleKeys } from "../../parts/shortcuts";
import { Section } from "../../parts/View";
import { chooseTheme, theme, type Theme } from "../../state/appearance";
import { beginTour } from "../../state/tour";
import { chooseLanguage, language, nameOfLanguage, type Language } from "../../words";
import { words } from "../../words/all";

const THEMES: readonly Theme[] = ["system", "light", "dark"];
const LANGUAGES: readonly Language[] = ["en", "zh"];

export function Yours(): JSX.Element {
  const t = words();
  return (
    <Section title={t.settings.thisBrowser} note={t.settings.thisBrowserNote}>
      <div class="form">
        <Segments label={t.theme} values={THEMES} value={theme.value} name={themeName} choose={chooseTheme} />
        <Segments label={t.language} values={LANGUAGES} value={language.value} name={nameOfLanguage} choose={(next) => void chooseLanguage(next)} />
        <label class="check">
          <input type="checkbox" checked={singleKeys.value} onChange={(event) => setSingleKeys(event.currentTarget.checked)} />
          {t.shortcutsOn}
        </label>
        <p class="acts">
          <button type="button" class="small" onClick={beginTour}>
            {t.tour.again}
          </button>
          <span class="soft">{t.tour.againNote}</span>
        </p>
      </div>
    </Section>
  );
}
