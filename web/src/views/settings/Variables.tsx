// Every variable, its value, where it comes from and what it means; some can be changed here.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { instanceApi, type Setting } from "../../api/instance";
import type { Page } from "../../api/types";
import { SearchField } from "../../parts/Field";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { loadStatus } from "../../state/status";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { inWords } from "../../words/said";

const shown = (value: Setting["value"]): string => (value === null || value === "" ? words().settings.notSet : String(value));

const withCode = (text: string): (string | JSX.Element)[] => text.split("`").map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part));

/** What was typed, as a value of the kind that the present one has. */
function typed(text: string, setting: Setting): string | number | boolean {
  if (typeof setting.value === "boolean") return text === "true";
  const numeric = typeof setting.value === "number" || ["number", "whole"].includes(setting.kind ?? "");
  return numeric && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function Value({ setting, text, write }: { setting: Setting; text: string; write: (text: string) => void }): JSX.Element {
  const choices = setting.choices?.length ? setting.choices : typeof setting.value === "boolean" ? ["true", "false"] : [];
  if (choices.length > 0) {
    return (
      <select aria-label={setting.name} value={text} onChange={(event) => write(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  return <input type="text" class="mono" aria-label={setting.name} value={text} onInput={(event) => write(event.currentTarget.value)} />;
}

function Live({ setting, set }: { setting: Setting; set: (page: Page<Setting>) => void }): JSX.Element {
  const t = words().settings;
  const [text, setText] = useState(setting.value === null ? "" : String(setting.value));
  const { busy, trouble, act } = useAct();
  const change = (value: string | number | boolean | null): void =>
    void act(async () => {
      const page = await instanceApi.change(setting.name, value);
      const changed = page.items.find((each) => each.name === setting.name)?.value;
      setText(changed === null || changed === undefined ? "" : String(changed));
      set(page);
      await loadStatus();
    });
  return (
    <form
      class="live-value"
      onSubmit={(event) => {
        event.preventDefault();
        change(typed(text, setting));
      }}
    >
      <Value setting={setting} text={text} write={setText} />
      <button type="submit" class="small" disabled={busy || text === String(setting.value ?? "")}>
        {t.setHere}
      </button>
      {setting.source === "live" && (
        <button type="button" class="quiet small" disabled={busy} onClick={() => change(null)}>
          {t.unset}
        </button>
      )}
      {trouble && <TroubleNote trouble={trouble} />}
    </form>
  );
}

function Row({ setting, set }: { setting: Setting; set: (page: Page<Setting>) => void }): JSX.Element {
  const t = words().settings;
  return (
    <li class="line still">
      <span class="line-main">
        <b class="mono break">{setting.name}</b>
        <span>{withCode(inWords(setting.meaning))}</span>
      </span>
      <span class="line-side">
        {setting.live ? <Live setting={setting} set={set} /> : <span class="mono break">{shown(setting.value)}</span>}
        <small>{t.source[setting.source]}</small>
      </span>
    </li>
  );
}

export function Variables(): JSX.Element {
  const t = words().settings;
  const [q, setQ] = useState("");
  const { now, again, set } = useRead(() => instanceApi.settings(), "settings");
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
                <Row key={setting.name} setting={setting} set={set} />
              ))}
            </ul>
          );
        }}
      </Shown>
    </Section>
  );
}
