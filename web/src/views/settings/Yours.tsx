// What this browser remembers for the person: appearance, language, keys.
import type { JSX } from "preact";
import { themeName } from "../../parts/Preferences";
import { setSingleKeys, singleKeys } from "../../parts/shortcuts";
import { Section } from "../../parts/View";
import { chooseTheme, theme, type Theme } from "../../state/appearance";
import { chooseLanguage, language, nameOfLanguage, words, type Language } from "../../words";

const THEMES: readonly Theme[] = ["system", "light", "dark"];
const LANGUAGES: readonly Language[] = ["en", "zh"];

function Segments<T extends string>({ label, values, value, name, choose }: { label: string; values: readonly T[]; value: T; name: (value: T) => string; choose: (value: T) => void }): JSX.Element {
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      <div>
        {values.map((each) => (
          <label key={each}>
            <input type="radio" name={label} checked={value === each} onChange={() => choose(each)} />
            <span>{name(each)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function Yours(): JSX.Element {
  const t = words();
  return (
    <Section title={t.settings.thisBrowser} note={t.settings.thisBrowserNote}>
      <div class="form">
        <Segments label={t.theme} values={THEMES} value={theme.value} name={themeName} choose={chooseTheme} />
        <Segments label={t.language} values={LANGUAGES} value={language.value} name={nameOfLanguage} choose={chooseLanguage} />
        <label class="check">
          <input type="checkbox" checked={singleKeys.value} onChange={(event) => setSingleKeys(event.currentTarget.checked)} />
          {t.shortcutsOn}
        </label>
      </div>
    </Section>
  );
}
