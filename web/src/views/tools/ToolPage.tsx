// One tool: what it does, what it may touch, and trying it with the command line in sight before it runs.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asTrouble, type Trouble } from "../../api/client";
import { toolsApi, type Preview, type Result, type Tool } from "../../api/tools";
import { EffectBadges } from "../../parts/EffectBadges";
import { QuestionCard } from "../../parts/QuestionCard";
import { TroubleNote } from "../../parts/TroubleNote";
import { Section, Shown, View } from "../../parts/View";
import { asLine } from "../../parts/callText";
import { announce } from "../../state/announce";
import { valueOr } from "../../state/loaded";
import { useLater } from "../../state/useLater";
import { useRead } from "../../state/useRead";
import { questions } from "../../state/waiting";
import { words } from "../../words/all";
import { inWords, troubleInWords } from "../../words/said";
import { SchemaForm, type Values } from "./SchemaForm";

function Facts({ tool }: { tool: Tool }): JSX.Element {
  const t = words().tools;
  const { duration, creates, modifies, deletes, cost } = tool.effects;
  const rows: [string, string | undefined][] = [
    [t.comesFrom, t.source(tool.trust.source ?? "", tool.runtime)],
    [t.trust, tool.trust.verified ? t.verified : t.notVerified],
    [t.takes, duration?.typical],
    [t.creates, creates?.join(", ")],
    [t.modifies, modifies?.join(", ")],
    [t.removes, deletes?.join(", ")],
    [t.costs, cost?.estimate],
  ];
  return (
    <dl class="facts">
      {rows
        .filter((row): row is [string, string] => !!row[1])
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** What must be filled in and is not yet. */
const lacking = (tool: Tool, values: Values): string[] => (tool.parameters.required ?? []).filter((name) => values[name] === undefined || values[name] === "");

function Would({ tool, values }: { tool: Tool; values: Values }): JSX.Element {
  const t = words().tools;
  const later = useLater(JSON.stringify(values), 250);
  const missing = lacking(tool, values);
  const [now, setNow] = useState<{ preview: Preview } | { trouble: Trouble } | null>(null);
  useEffect(() => {
    let left = false;
    if (lacking(tool, JSON.parse(later) as Values).length > 0) return;
    toolsApi.preview(tool.name, JSON.parse(later) as Values).then(
      (preview) => !left && setNow({ preview }),
      (cause: unknown) => !left && setNow({ trouble: asTrouble(cause) }),
    );
    return () => {
      left = true;
    };
  }, [tool.name, later]);
  if (missing.length > 0) return <p class="soft">{t.fillIn(missing)}</p>;
  if (!now) return <p class="soft">{words().loading}</p>;
  if ("trouble" in now) return <p class="would refused">{troubleInWords(now.trouble) || t.cannotRun}</p>;
  const { preview } = now;
  return (
    <div class="would">
      {preview.words.length > 0 && (
        <pre class="call" tabIndex={0} aria-label={t.commandLine}>
          <code>{asLine(preview.words)}</code>
        </pre>
      )}
      <p class={`verdict ${preview.verdict}`}>{t.verdict[preview.verdict]}</p>
      {preview.reasons.map((reason) => (
        <p key={reason.code} class="soft">
          {inWords(reason.text)}
        </p>
      ))}
    </div>
  );
}

function resultText(result: Result): string {
  const parts = result.content.map((part) => part.text ?? JSON.stringify(part.json ?? part, null, 2));
  return parts.join("\n").trimEnd();
}

export function Outcome({ result }: { result: Result }): JSX.Element {
  const t = words().tools;
  const text = resultText(result);
  return (
    <div class={`outcome ${result.isError ? "failed" : ""}`}>
      <p class="meta" role="status">
        <b>{result.isError ? t.failed : t.done}</b>
        <span>{t.took(result.durationMs)}</span>
        {result.exitCode !== undefined && result.exitCode !== null && <span>{t.exitCode(result.exitCode)}</span>}
      </p>
      <pre class="call tall" tabIndex={0} aria-label={t.result}>
        <code>{(result.error ? inWords(text) : text) || t.noOutput}</code>
      </pre>
      {/* What went wrong may say already what to do about it. */}
      {result.error?.hint && !text.includes(result.error.hint) && <p class="soft">{inWords(result.error.hint)}</p>}
    </div>
  );
}

/** The question that this very call waits for, to be answered where it was asked. */
function Waits({ tool }: { tool: Tool }): JSX.Element | null {
  const mine = valueOr(questions.value, []).filter((question) => question.kind === "approval" && question.call?.["tool"] === tool.name);
  if (mine.length === 0) return null;
  return (
    <div class="cards">
      {mine.map((question) => (
        <QuestionCard key={question.id} question={question} here />
      ))}
    </div>
  );
}

function Try({ tool }: { tool: Tool }): JSX.Element {
  const t = words().tools;
  const [values, setValues] = useState<Values>({});
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setTrouble(null);
    setResult(null);
    try {
      const outcome = await toolsApi.call(tool.name, values);
      setResult(outcome);
      announce(outcome.isError ? t.failed : t.done);
    } catch (cause) {
      setTrouble(asTrouble(cause));
    }
    setBusy(false);
  };
  return (
    <form class="try" noValidate onSubmit={(event) => void run(event)}>
      <SchemaForm schema={tool.parameters} values={values} onValues={setValues} />
      <div class="try-foot">
        <Would tool={tool} values={values} />
        <p class="acts">
          <button type="submit" class="go" disabled={busy || lacking(tool, values).length > 0}>
            {busy ? t.running : t.run}
          </button>
          {busy && <span class="busy" aria-hidden="true" />}
        </p>
      </div>
      {busy && <Waits tool={tool} />}
      {trouble && <TroubleNote trouble={trouble} />}
      {result && <Outcome result={result} />}
    </form>
  );
}

export function ToolPage({ name }: { name: string }): JSX.Element {
  const t = words().tools;
  const { now, again } = useRead(() => toolsApi.get(name), name);
  return (
    <View title={now.state === "ready" ? now.value.command.join(" ") || name : name} back={{ href: "/tools", name: t.title }} lead={now.state === "ready" ? now.value.description : undefined}>
      <Shown now={now} again={() => void again()}>
        {(tool) => (
          <>
            <EffectBadges effects={tool.effects} />
            <Section title={t.tryIt} note={t.tryNote}>
              <Try tool={tool} />
            </Section>
            <Section title={t.about}>
              <Facts tool={tool} />
            </Section>
          </>
        )}
      </Shown>
    </View>
  );
}
