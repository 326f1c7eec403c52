// One script: its records, its text, and beginning a dialog with it.
import type { JSX } from "preact";
import { scriptsApi } from "../../api/scripts";
import { CopyButton } from "../../parts/CopyButton";
import { Section, Shown, View } from "../../parts/View";
import { beginDialogWith } from "../../state/dialogs";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { Problem, Records } from "./Records";

export function ScriptPage({ scriptRef }: { scriptRef: string }): JSX.Element {
  const t = words().scripts;
  const { now, again } = useRead(() => scriptsApi.show(scriptRef), scriptRef);
  const good = now.state === "ready" && !now.value.problem;
  return (
    <View
      title={(now.state === "ready" && now.value.title) || scriptRef}
      back={{ href: "/scripts", name: t.title }}
      actions={
        good && (
          <button type="button" class="go" onClick={() => beginDialogWith(scriptRef)}>
            {t.begin}
          </button>
        )
      }
    >
      <Shown now={now} again={() => void again()}>
        {(file) => (
          <>
            <p class="soft mono break">{file.path}</p>
            {file.problem && <Problem problem={file.problem} />}
            {file.records.length > 0 && (
              <Section title={t.holds} note={t.records(file.records.length)}>
                <Records records={file.records} />
              </Section>
            )}
            <Section title={t.text} actions={<CopyButton text={file.text} />}>
              <pre class="call tall" tabIndex={0} aria-label={t.text}>
                <code>{file.text}</code>
              </pre>
            </Section>
          </>
        )}
      </Shown>
    </View>
  );
}
