// What the owner said "always" to: seen, widened to a pattern they wrote, taken back.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toolsApi, type Standing } from "../../api/tools";
import { Field } from "../../parts/Field";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Shown, View } from "../../parts/View";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { ToolTabs } from "./tabs";

function Row({ rule, changed }: { rule: Standing; changed: () => void }): JSX.Element {
  const t = words().tools;
  const [editing, setEditing] = useState(false);
  const [pattern, setPattern] = useState(rule.pattern ?? rule.line);
  const { busy, trouble, act } = useAct();
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await act(() => toolsApi.changeStanding(rule.id, pattern))) {
      setEditing(false);
      changed();
    }
  };
  return (
    <li class="panel">
      <p class="mono">{rule.pattern ?? rule.line}</p>
      <p class="soft">
        {rule.pattern ? t.coversPattern : t.coversExactly} {t.inFolder(rule.folder)}
      </p>
      {editing && (
        <form class="form" onSubmit={(event) => void save(event)}>
          <Field label={t.pattern} hint={t.patternHint} value={pattern} onValue={setPattern} mono autofocus />
          <p class="acts">
            <button type="submit" class="go" disabled={busy}>
              {words().save}
            </button>
            <button type="button" class="quiet" onClick={() => setEditing(false)}>
              {words().cancel}
            </button>
          </p>
        </form>
      )}
      {trouble && <TroubleNote trouble={trouble} />}
      {!editing && (
        <p class="acts">
          <button type="button" class="small" onClick={() => setEditing(true)}>
            {t.changePattern}
          </button>
          <button type="button" class="quiet small" disabled={busy} onClick={() => void act(() => toolsApi.revoke(rule.id)).then((ok) => ok && changed())}>
            {t.revoke}
          </button>
        </p>
      )}
    </li>
  );
}

export function StandingApprovals(): JSX.Element {
  const t = words().tools;
  const { now, again } = useRead(() => toolsApi.standing(), "standing");
  return (
    <View title={t.title} lead={t.approvedLead} tabs={<ToolTabs />}>
      <Shown now={now} again={() => void again()}>
        {(page) =>
          page.items.length === 0 ? (
            <Nothing icon="check" title={t.noApproved}>
              <p>{t.noApprovedHint}</p>
            </Nothing>
          ) : (
            <ul class="panels">
              {page.items.map((rule) => (
                <Row key={rule.id} rule={rule} changed={() => void again()} />
              ))}
            </ul>
          )
        }
      </Shown>
    </View>
  );
}
