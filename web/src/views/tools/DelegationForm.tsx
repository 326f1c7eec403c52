// What is left to agents and clients: tools, commands and effects that are taken away, and what remains of the catalog.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { policyApi, type Delegation, type Left, type PolicyDocument } from "../../api/policy";
import { LongField } from "../../parts/Field";
import { Segments } from "../../parts/Segments";
import { useLater } from "../../state/useLater";
import { words } from "../../words/all";
import { restrictionsOf, TAKEN, takenBy, type Taken } from "./restrictions";

const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** Nothing taken away is no delegation at all. */
function tidy({ allowedTools, deniedCommands, effectRestrictions, within }: Delegation): Delegation | undefined {
  const made: Delegation = {
    ...(allowedTools && { allowedTools }),
    ...(deniedCommands?.length && { deniedCommands }),
    ...(effectRestrictions && Object.keys(effectRestrictions).length > 0 && { effectRestrictions }),
    ...(within && { within }),
  };
  return Object.keys(made).length > 0 ? made : undefined;
}

function Remains({ document }: { document: PolicyDocument }): JSX.Element | null {
  const t = words().policy;
  const wanted = useLater(JSON.stringify(document), 300);
  const [left, setLeft] = useState<Left | null>(null);
  useEffect(() => {
    let gone = false;
    // What is wrong with the document is said when it is saved.
    policyApi.preview(JSON.parse(wanted) as PolicyDocument).then(
      (found) => !gone && setLeft(found),
      () => !gone && setLeft(null),
    );
    return () => {
      gone = true;
    };
  }, [wanted]);
  if (!left) return null;
  return (
    <p class="note" role="status">
      <span>
        {t.leaves(left.left, left.of)} {left.taken.length > 0 && t.takes(left.taken.join(", "))}
      </span>
    </p>
  );
}

export function DelegationForm({ document, change }: { document: PolicyDocument; change: (delegation: Delegation | undefined) => void }): JSX.Element {
  const t = words().policy;
  const delegation = document.delegation ?? {};
  const taken = takenBy(delegation);
  const [tools, setTools] = useState((delegation.allowedTools ?? []).join("\n"));
  const [denied, setDenied] = useState((delegation.deniedCommands ?? []).join("\n"));
  const put = (fields: Partial<Delegation>): void => change(tidy({ ...delegation, ...fields }));
  const choose = (which: "all" | "these"): void => {
    const { allowedTools: _, ...rest } = delegation;
    change(tidy(which === "all" ? rest : { ...rest, allowedTools: linesOf(tools) }));
  };
  const toggle = (effect: Taken, on: boolean): void =>
    put({ effectRestrictions: restrictionsOf(TAKEN.filter((each) => (each === effect ? on : taken.includes(each)))) });
  return (
    <>
      <Segments label={t.allowedTools} values={["all", "these"] as const} value={delegation.allowedTools ? "these" : "all"} name={(which) => t.which[which]} choose={choose} />
      {delegation.allowedTools && (
        <LongField
          label={t.theseTools}
          hint={t.theseToolsHint}
          mono
          rows={3}
          placeholder={"ls\ngit log"}
          value={tools}
          onValue={(text) => {
            setTools(text);
            put({ allowedTools: linesOf(text) });
          }}
        />
      )}
      <LongField
        label={t.deniedCommands}
        hint={t.deniedCommandsHint}
        mono
        rows={2}
        placeholder="gh repo delete"
        value={denied}
        onValue={(text) => {
          setDenied(text);
          put({ deniedCommands: linesOf(text) });
        }}
      />
      <fieldset class="taken">
        <legend>{t.takeAway}</legend>
        {TAKEN.map((effect) => (
          <label key={effect} class="check">
            <input type="checkbox" checked={taken.includes(effect)} onChange={(event) => toggle(effect, event.currentTarget.checked)} />
            {t.taken[effect]}
          </label>
        ))}
      </fieldset>
      {delegation.within && <p class="soft">{t.within}</p>}
      <Remains document={document} />
    </>
  );
}
