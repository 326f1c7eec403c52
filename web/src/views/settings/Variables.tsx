// Every variable, its value, where it comes from and what it means.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { instanceApi, type Setting } from "../../api/instance";
import { SearchField } from "../../parts/Field";
import { Nothing, Section, Shown } from "../../parts/View";
import { useRead } from "../../state/useRead";
import { words } from "../../words";

const shown = (value: Setting["value"]): string => (value === null || value === "" ? words().settings.notSet : String(value));

function Row({ setting }: { setting: Setting }): JSX.Element {
  const t = words().settings;
  return (
    <li class="line still">
      <span class="line-main">
        <b class="mono break">{setting.name}</b>
        <span>{setting.meaning}</span>
      </span>
      <span class="line-side">
        <span class="mono break">{shown(setting.value)}</span>
        <small>{t.source[setting.source]}</small>
      </span>
    </li>
  );
}

export function Variables(): JSX.Element {
  const t = words().settings;
  const [q, setQ] = useState("");
  const { now, again } = useRead(() => instanceApi.settings(), "settings");
  const fits = (setting: Setting): boolean => `${setting.name} ${setting.meaning}`.toLocaleLowerCase().includes(q.trim().toLocaleLowerCase());
  return (
    <Section title={t.section.variables} note={t.variablesNote}>
      <SearchField label={t.findVariable} value={q} onValue={setQ} />
      <Shown now={now} again={() => void again()}>
        {(page) => {
          const found = page.items.filter(fits);
          if (found.length === 0) return <Nothing icon="search" title={t.noVariable} />;
          return (
            <ul class="lines">
              {found.map((setting) => (
                <Row key={setting.name} setting={setting} />
              ))}
            </ul>
          );
        }}
      </Shown>
    </Section>
  );
}
