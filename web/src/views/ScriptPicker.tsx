// What a new dialog begins with: nothing, one of the scripts used lately, or any found by a live search.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { scriptsApi, type Script } from "../api/scripts";
import { useLater } from "../state/useLater";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { SearchField } from "../parts/Field";

interface Props {
  agentId: string;
  chosen: string | null;
  choose: (ref: string | null) => void;
  showInUi: boolean;
  setShowInUi: (on: boolean) => void;
}

function Pick({ name, note, chosen, choose }: { name: string; note?: JSX.Element | null; chosen: boolean; choose: () => void }): JSX.Element {
  return (
    <label class="choice slim">
      <input type="radio" name="startup" checked={chosen} onChange={choose} />
      <span>
        <b>{name}</b>
        {note}
      </span>
    </label>
  );
}

function Search({ agentId, found }: { agentId: string; found: (scripts: Script[]) => JSX.Element }): JSX.Element {
  const t = words().scripts;
  const [q, setQ] = useState("");
  const later = useLater(q);
  const { now } = useRead(() => scriptsApi.search(later, agentId), `${agentId} ${later}`);
  return (
    <div class="form tight">
      <SearchField label={t.find} value={q} onValue={setQ} autofocus />
      {now.state === "ready" && now.value.items.length === 0 && <p class="soft">{t.nothingFits}</p>}
      {now.state === "ready" && found(now.value.items)}
    </div>
  );
}

export function ScriptPicker({ agentId, chosen, choose, showInUi, setShowInUi }: Props): JSX.Element {
  const t = words().scripts;
  const { now } = useRead(() => scriptsApi.recent(agentId), agentId);
  const [searching, setSearching] = useState(false);
  // Chosen before the search began: it stays where it is, whatever is found. What is found and chosen stays there, too.
  const [first, setFirst] = useState(chosen);
  const recent = now.state === "ready" ? now.value.items.slice(0, 5) : [];
  const listed = new Set(recent.map((script) => script.scriptRef));
  const draw = ({ scriptRef, title }: { scriptRef: string; title?: string | null }): JSX.Element => (
    <Pick key={scriptRef} name={title ?? scriptRef} note={title ? <small class="mono break">{scriptRef}</small> : null} chosen={chosen === scriptRef} choose={() => choose(scriptRef)} />
  );
  return (
    <fieldset class="startup">
      <legend>{t.startup}</legend>
      <div class="choices">
        <Pick name={t.none} note={<small>{t.noneMeaning}</small>} chosen={chosen === null} choose={() => choose(null)} />
        {recent.map(draw)}
        {first !== null && !listed.has(first) && draw({ scriptRef: first })}
        {searching ? (
          <Search agentId={agentId} found={(scripts) => <div class="choices scroll">{scripts.filter(({ scriptRef }) => !listed.has(scriptRef) && scriptRef !== first).map(draw)}</div>} />
        ) : (
          <button type="button" class="quiet start" onClick={() => {
              setFirst(chosen);
              setSearching(true);
            }}>
            {t.more}
          </button>
        )}
      </div>
      {chosen !== null && (
        <label class="check">
          <input type="checkbox" checked={showInUi} onChange={(event) => setShowInUi(event.currentTarget.checked)} />
          {t.showInUi}
        </label>
      )}
    </fieldset>
  );
}
