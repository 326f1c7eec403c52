// Startup scripts: what a dialog can begin with, looked at and checked.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { scriptsApi, type Script } from "../api/scripts";
import { SearchField } from "../parts/Field";
import { Nothing, Shown, View } from "../parts/View";
import { follow, rest, searched, setSearch } from "../state/place";
import { useLater } from "../state/useLater";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { Checker } from "./scripts/Checker";
import { ScriptPage } from "./scripts/ScriptPage";
import { ScriptTabs } from "./scripts/tabs";

export const scriptPath = (ref: string): string => `/scripts/s/${encodeURIComponent(ref)}`;

function Row({ script }: { script: Script }): JSX.Element {
  const t = words().scripts;
  return (
    <li>
      <a class="line" href={scriptPath(script.scriptRef)} onClick={follow}>
        <span class="line-main">
          <b>{script.title ?? script.scriptRef}</b>
          <span class="mono break">{script.path}</span>
          {script.warnings.map((warning) => (
            <span key={warning} class="warned">
              {warning}
            </span>
          ))}
        </span>
        <span class="line-side">
          <small>{t.records(script.records)}</small>
        </span>
      </a>
    </li>
  );
}

function Listing(): JSX.Element {
  const t = words().scripts;
  const [q, setQ] = useState(searched("q"));
  const later = useLater(q);
  const { now, again } = useRead(() => scriptsApi.search(later), later);
  useEffect(() => setSearch({ q: later }), [later]);
  return (
    <View title={t.title} lead={t.lead} tabs={<ScriptTabs />}>
      <SearchField label={t.find} value={q} onValue={setQ} />
      <Shown now={now} again={() => void again()}>
        {(found) => (
          <>
            {found.items.length === 0 ? (
              <Nothing icon="script" title={later ? t.nothingFits : t.nothing}>
                <p>{t.nothingHint}</p>
              </Nothing>
            ) : (
              <ul class="lines">
                {found.items.map((script) => (
                  <Row key={script.scriptRef} script={script} />
                ))}
              </ul>
            )}
            {found.more && <p class="soft">{t.narrow}</p>}
            {found.warningSummary.skippedCount > 0 && (
              <details class="note-fold">
                <summary>{t.skipped(found.warningSummary.skippedCount)}</summary>
                <ul>
                  {found.warningSummary.samples.map((sample) => (
                    <li key={sample.path}>
                      <span class="mono">{sample.path}</span> {sample.error}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </Shown>
    </View>
  );
}

export default function Scripts(): JSX.Element {
  const [first, second] = rest.value;
  if (first === "s" && second) return <ScriptPage key={second} scriptRef={second} />;
  if (first === "check") return <Checker />;
  return <Listing />;
}
