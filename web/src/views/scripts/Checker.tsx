// Paste a script and see at once whether it is one.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { scriptsApi } from "../../api/scripts";
import { LongField } from "../../parts/Field";
import { Shown, View } from "../../parts/View";
import { useLater } from "../../state/useLater";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { Problem, Records } from "./Records";
import { ScriptTabs } from "./tabs";

function Verdict({ text }: { text: string }): JSX.Element {
  const t = words().scripts;
  const { now, again } = useRead(() => scriptsApi.check(text), text);
  return (
    <Shown now={now} again={() => void again()}>
      {(checked) =>
        checked.problem ? (
          <Problem problem={checked.problem} />
        ) : (
          <>
            <p class="note" role="status">
              {t.good(checked.records.length)}
            </p>
            <Records records={checked.records} />
          </>
        )
      }
    </Shown>
  );
}

export function Checker(): JSX.Element {
  const t = words().scripts;
  const [text, setText] = useState("");
  const later = useLater(text, 300);
  return (
    <View title={t.title} lead={t.checkLead} tabs={<ScriptTabs />}>
      <LongField label={t.text} rows={12} mono value={text} onValue={setText} />
      {later.trim() && <Verdict text={later} />}
    </View>
  );
}
