// Who is in a new channel beside the owner and Prime: people and agents that are known, or an agent that is new.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api/client";
import { OWNER, PRIME } from "../api/types";
import { actors, loadActors } from "../state/actors";
import { valueOr } from "../state/loaded";
import { useAct } from "../state/useAct";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { Choice, Field } from "../parts/Field";
import { Icon } from "../parts/Icon";
import { TroubleNote } from "../parts/TroubleNote";

interface Props {
  chosen: readonly string[];
  choose: (ids: string[]) => void;
}

/** What an agent thinks with, unless the owner chooses otherwise. */
const THINKING = "llm_generic";

export function NewAgent({ added }: { added: (id: string) => void }): JSX.Element {
  const t = words();
  const [name, setName] = useState("");
  const [connector, setConnector] = useState(THINKING);
  const { now } = useRead(() => api.agentConnectors(), "agent connectors");
  const connectors = valueOr(now, { items: [THINKING], nextCursor: null }).items.filter((each) => each in t.agentBy);
  const { busy, trouble, act } = useAct();
  const add = (): void =>
    void act(async () => {
      const agent = await api.createAgent(name.trim(), connector);
      await loadActors();
      added(agent.id);
      setName("");
    });
  return (
    <div
      class="new-agent"
      onKeyDown={(event) => {
        // Enter belongs to this field, not to the form around it.
        if (event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        if (name.trim()) add();
      }}
    >
      <Field label={t.newAgent} hint={connectors.length > 1 ? undefined : t.agentBy[THINKING]} value={name} onValue={(value) => setName(value.slice(0, 120))} />
      <button type="button" disabled={busy || !name.trim()} onClick={add}>
        <Icon name="plus" size={16} />
        {t.addAgent}
      </button>
      {connectors.length > 1 && name.trim() && (
        <Choice label={t.agentThinks} value={connector} onValue={setConnector} options={connectors.map((each) => ({ value: each, name: t.agentBy[each as keyof typeof t.agentBy] }))} />
      )}
      {trouble && <TroubleNote trouble={trouble} />}
    </div>
  );
}

export function Members({ chosen, choose }: Props): JSX.Element {
  const others = [...actors.value.values()].filter((actor) => actor.id !== OWNER && actor.id !== PRIME);
  const toggle = (id: string, on: boolean): void => choose(on ? [...chosen, id] : chosen.filter((other) => other !== id));
  return (
    <fieldset>
      <legend>{words().channelMembers}</legend>
      {others.length > 0 && (
        <div class="member-list">
          {others.map((actor) => (
            <label class="check" key={actor.id}>
              <input type="checkbox" checked={chosen.includes(actor.id)} onChange={(event) => toggle(actor.id, event.currentTarget.checked)} />
              {actor.name}
            </label>
          ))}
        </div>
      )}
      <NewAgent added={(id) => choose([...chosen, id])} />
    </fieldset>
  );
}
