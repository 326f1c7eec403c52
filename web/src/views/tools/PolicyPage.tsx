// What tools may do, and what is left to others: one document, edited as a form.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { policyApi, type Access, type Guarded, type Policy, type PolicyDocument } from "../../api/policy";
import { CopyButton } from "../../parts/CopyButton";
import { Field, LongField } from "../../parts/Field";
import { Segments } from "../../parts/Segments";
import { TroubleNote } from "../../parts/TroubleNote";
import { Section, Shown, View } from "../../parts/View";
import { announce } from "../../state/announce";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { inWords } from "../../words/said";
import { DelegationForm } from "./DelegationForm";
import { ToolTabs } from "./tabs";
import { takenBy } from "./restrictions";

const GUARDED: readonly Guarded[] = ["write", "network", "destructive", "billable"];
const ACCESS: readonly Access[] = ["allow", "ask", "deny"];

interface Part {
  document: PolicyDocument;
  change: (fields: Partial<PolicyDocument>) => void;
}

function Effects({ document, change }: Part): JSX.Element {
  const t = words().policy;
  return (
    <div class="guarded">
      {GUARDED.map((effect) => (
        <Segments
          key={effect}
          label={t.effect[effect]}
          values={ACCESS}
          value={document.allow[effect]}
          name={(access) => t.access[access]}
          choose={(access) => change({ allow: { ...document.allow, [effect]: access } })}
        />
      ))}
    </div>
  );
}

function Budget({ document, change }: Part): JSX.Element {
  const t = words().policy;
  const write = (text: string): void => {
    change({ budget: text === "" ? undefined : { ...document.budget, limit: Math.max(0, Number(text) || 0) } });
  };
  return <Field label={t.budget} hint={t.budgetHint} type="number" min={0} value={document.budget ? String(document.budget.limit) : ""} onValue={write} />;
}

/** A list, written one entry to a line; what is being written stays as it is. */
function Lines({ label, hint, values, change, placeholder }: { label: string; hint: string; values: readonly string[]; change: (values: string[]) => void; placeholder: string }): JSX.Element {
  const [text, setText] = useState(values.join("\n"));
  const write = (next: string): void => {
    setText(next);
    change(next.split("\n").map((line) => line.trim()).filter(Boolean));
  };
  return <LongField label={label} hint={hint} mono rows={3} placeholder={placeholder} value={text} onValue={write} />;
}

function Lists({ document, change }: Part): JSX.Element {
  const t = words().policy;
  const { paths } = document;
  return (
    <div class="filters even">
      <Lines label={t.confirm} hint={t.confirmHint} placeholder="git push" values={document.confirm} change={(confirm) => change({ confirm })} />
      <Lines label={t.deny} hint={t.denyHint} placeholder="docker *" values={document.deny} change={(deny) => change({ deny })} />
      <Lines label={t.readPaths} hint={t.pathsHint} placeholder="~/notes" values={paths.read} change={(read) => change({ paths: { ...paths, read } })} />
      <Lines label={t.writePaths} hint={t.pathsHint} placeholder="~/site" values={paths.write} change={(write) => change({ paths: { ...paths, write } })} />
    </div>
  );
}

function Tiers({ policy }: { policy: Policy }): JSX.Element {
  const t = words();
  return (
    <ul class="lines">
      {(["business_relation", "external"] as const).map((tier) => (
        <li key={tier} class="line still">
          <span class="line-main">
            <b>{t.tier(tier)}</b>
            <span>
              {takenBy(policy.tiers[tier])
                .map((effect) => t.policy.taken[effect])
                .join(", ")}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function AsDocument({ document, file }: { document: PolicyDocument; file: string }): JSX.Element {
  const text = JSON.stringify(document, null, 2);
  return (
    <details class="folded">
      <summary>{words().policy.asDocument}</summary>
      <p class="soft mono break">{file}</p>
      <pre class="call tall" tabIndex={0} aria-label={words().policy.asDocument}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </details>
  );
}

function Editor({ policy, kept }: { policy: Policy; kept: (policy: Policy) => void }): JSX.Element {
  const t = words().policy;
  const [document, setDocument] = useState(policy.document);
  const { busy, trouble, act } = useAct();
  const change = (fields: Partial<PolicyDocument>): void => setDocument({ ...document, ...fields });
  const dirty = policy.problem !== null || JSON.stringify(document) !== JSON.stringify(policy.document);
  const save = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      kept(await policyApi.put(document, policy.version));
      announce(t.saved);
    });
  };
  return (
    <form class="form policy" noValidate onSubmit={save}>
      {policy.problem && (
        <p class="note warn" role="alert">
          {t.broken} {inWords(policy.problem)}
        </p>
      )}
      <Section title={t.may} note={t.mayNote}>
        <Effects document={document} change={change} />
        <Budget document={document} change={change} />
      </Section>
      <Section title={t.commands} note={t.commandsNote}>
        <Lists document={document} change={change} />
      </Section>
      <Section title={t.delegation} note={t.delegationNote}>
        <DelegationForm document={document} change={(delegation) => change({ delegation })} />
      </Section>
      <Section title={t.tiers} note={t.tiersNote}>
        <Tiers policy={policy} />
      </Section>
      <AsDocument document={document} file={policy.file} />
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts keep">
        <button type="submit" class="go" disabled={busy || !dirty}>
          {words().save}
        </button>
        <button type="button" class="quiet" disabled={!dirty || busy} onClick={() => kept({ ...policy })}>
          {t.undo}
        </button>
        <span class="soft" role="status">
          {dirty ? t.unsaved : t.holds}
        </span>
      </p>
    </form>
  );
}

export function PolicyPage(): JSX.Element {
  const t = words().policy;
  const { now, again, set } = useRead(() => policyApi.get(), "policy");
  const [turn, setTurn] = useState(0);
  const kept = (policy: Policy): void => {
    set(policy);
    setTurn(turn + 1);
  };
  return (
    <View title={words().tools.title} lead={t.lead} tabs={<ToolTabs />}>
      <Shown now={now} again={() => void again()}>
        {(policy) => <Editor key={`${policy.version} ${turn}`} policy={policy} kept={kept} />}
      </Shown>
    </View>
  );
}
