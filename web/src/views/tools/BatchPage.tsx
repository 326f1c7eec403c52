// Several calls that wait for each other, and what became of each.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toolsApi, type Step, type StepDone } from "../../api/tools";
import { Field, LongField } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { QuestionCard } from "../../parts/QuestionCard";
import { TroubleNote } from "../../parts/TroubleNote";
import { View } from "../../parts/View";
import { valueOr } from "../../state/loaded";
import { useAct } from "../../state/useAct";
import { questions } from "../../state/waiting";
import { words } from "../../words/all";
import { inWords } from "../../words/said";
import { Outcome } from "./ToolPage";

interface Written {
  id: string;
  tool: string;
  given: string;
  depends: readonly string[];
}

/** What was written as JSON, if it is an object. */
function asObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

interface CallProps {
  step: Written;
  number: number;
  earlier: readonly Written[];
  change: (step: Written) => void;
  remove: (() => void) | null;
  done: StepDone | undefined;
}

function Call({ step, number, earlier, change, remove, done }: CallProps): JSX.Element {
  const t = words().tools.batch;
  const before = earlier.at(-1);
  return (
    <li class="panel">
      <div class="panel-head">
        <h3>{t.step(number)}</h3>
        <code class="mono">{step.id}</code>
        {remove && (
          <button type="button" class="quiet icon-only push-end" aria-label={t.remove(number)} title={t.remove(number)} onClick={remove}>
            <Icon name="close" size={16} />
          </button>
        )}
      </div>
      <div class="filters even hinted">
        <Field label={t.tool} hint={t.toolHint} mono value={step.tool} onValue={(tool) => change({ ...step, tool })} />
        <LongField
          label={t.given}
          hint={before ? t.givenHint(before.id) : t.givenHintFirst}
          bad={asObject(step.given) ? null : t.notJson}
          mono
          rows={2}
          value={step.given}
          onValue={(given) => change({ ...step, given })}
        />
      </div>
      {earlier.length > 0 && (
        <fieldset>
          <legend>{t.after}</legend>
          <div class="acts">
            {earlier.map(({ id }) => (
              <label class="check" key={id}>
                <input
                  type="checkbox"
                  checked={step.depends.includes(id)}
                  onChange={(event) => change({ ...step, depends: event.currentTarget.checked ? [...step.depends, id] : step.depends.filter((other) => other !== id) })}
                />
                <code class="mono">{id}</code>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {done?.result && <Outcome result={done.result} />}
      {done?.error && (
        <p class="would refused" role="status">
          {inWords(done.error.message)} {inWords(done.error.hint ?? "")}
        </p>
      )}
    </li>
  );
}

/** What these calls wait for, to be answered where it was asked. */
function Waits({ tools }: { tools: ReadonlySet<string> }): JSX.Element {
  const mine = valueOr(questions.value, []).filter(({ kind, call }) => kind === "approval" && tools.has(String(call?.["tool"])));
  return (
    <div class="cards">
      {mine.map((question) => (
        <QuestionCard key={question.id} question={question} here />
      ))}
    </div>
  );
}

const fresh = (number: number): Written => ({ id: `c${number}`, tool: "", given: "", depends: [] });

export function BatchPage(): JSX.Element {
  const t = words().tools.batch;
  const [steps, setSteps] = useState<readonly Written[]>([fresh(1)]);
  const [made, setMade] = useState(1);
  const [done, setDone] = useState<readonly StepDone[]>([]);
  const { busy, trouble, act } = useAct();
  const calls = steps.map(({ id, tool, given, depends }): Step | null => {
    const object = asObject(given);
    return tool.trim() && object ? { id, tool: tool.trim(), arguments: object, depends: [...depends] } : null;
  });
  const ready = calls.every((call): call is Step => call !== null);
  const run = (event: Event): void => {
    event.preventDefault();
    if (!ready) return;
    setDone([]);
    void act(async () => setDone(await toolsApi.batch(calls)));
  };
  const remove = (id: string): void => setSteps(steps.filter((step) => step.id !== id).map((step) => ({ ...step, depends: step.depends.filter((other) => other !== id) })));
  return (
    <View title={t.title} lead={t.lead} back={{ href: "/tools", name: words().tools.title }}>
      <form class="form" noValidate onSubmit={run}>
        <ol class="panels">
          {steps.map((step, index) => (
            <Call
              key={step.id}
              step={step}
              number={index + 1}
              earlier={steps.slice(0, index)}
              change={(changed) => setSteps(steps.with(index, changed))}
              remove={steps.length > 1 ? () => remove(step.id) : null}
              done={done.find(({ id }) => id === step.id)}
            />
          ))}
        </ol>
        <p class="acts">
          <button type="submit" class="go" disabled={busy || !ready}>
            {busy ? words().tools.running : t.run}
          </button>
          <button
            type="button"
            onClick={() => {
              setSteps([...steps, fresh(made + 1)]);
              setMade(made + 1);
            }}
          >
            <Icon name="plus" size={16} />
            {t.add}
          </button>
          {busy && <span class="busy" aria-hidden="true" />}
        </p>
        {busy && <Waits tools={new Set(steps.map((step) => step.tool.trim()))} />}
        {trouble && <TroubleNote trouble={trouble} />}
      </form>
    </View>
  );
}
