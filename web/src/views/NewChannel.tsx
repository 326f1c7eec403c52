// A channel of the owner's own making: a name, a kind, and above all who it is for.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asTrouble, type Trouble } from "../api/client";
import { PRIME, type ChannelKind, type NewChannel, type Tier } from "../api/types";
import { actors } from "../state/actors";
import { createChannel, TIERS } from "../state/channels";
import { wantedScript } from "../state/dialogs";
import { go, pathToChannel } from "../state/place";
import { words } from "../words/all";
import { Field, LongField } from "../parts/Field";
import { TierMark } from "../parts/Icon";
import { Members } from "./Members";
import { closeDialog, Modal } from "../parts/Modal";
import { ScriptPicker } from "./ScriptPicker";
import { TroubleNote } from "../parts/TroubleNote";

const KINDS: readonly ChannelKind[] = ["group", "dm"];

function Choices<T extends string>(props: {
  legend: string;
  name: string;
  values: readonly T[];
  value: T;
  choose: (value: T) => void;
  draw: (value: T) => { mark?: JSX.Element; title: string; note: string };
}): JSX.Element {
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      <div class={`choices ${props.name}`}>
        {props.values.map((value) => {
          const { mark, title, note } = props.draw(value);
          return (
            <label class="choice" key={value}>
              <input type="radio" name={props.name} checked={props.value === value} onChange={() => props.choose(value)} />
              <span>
                <b>
                  {mark}
                  {title}
                </b>
                <small>{note}</small>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

/** Whose script it is: only in a dialog with them can it be begun with. */
function whoseScript(): readonly string[] {
  const [scope, agentId] = wantedScript.value?.split("/") ?? [];
  return scope === "individual" && agentId && agentId !== PRIME && actors.value.has(agentId) ? [agentId] : [];
}

export default function NewChannel(): JSX.Element {
  const t = words();
  useEffect(() => () => void (wantedScript.value = null), []);
  const [name, setName] = useState("");
  const [kind, setKind] = useState<ChannelKind>("group");
  const [tier, setTier] = useState<Tier>("team");
  const [brief, setBrief] = useState("");
  const [members, setMembers] = useState(whoseScript);
  const [script, setScript] = useState(wantedScript.value);
  const [showInUi, setShowInUi] = useState(true);
  const [nameMissing, setNameMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!name.trim()) return setNameMissing(true);
    const wanted: NewChannel = { name: name.trim(), kind, tier };
    if (brief.trim()) wanted.brief = brief.trim();
    if (members.length) wanted.members = [...members];
    if (script) wanted.priming = { scriptRefs: [script], showInUi };
    setBusy(true);
    setTrouble(null);
    try {
      const channel = await createChannel(wanted);
      closeDialog();
      go(pathToChannel(channel.id));
    } catch (cause) {
      setTrouble(asTrouble(cause));
      setBusy(false);
    }
  };
  return (
    <Modal title={t.newChannel} class="new-channel-dialog">
      <form class="form" noValidate onSubmit={(event) => void submit(event)}>
        <Field
          label={t.channelName}
          hint={t.channelNameHint}
          bad={nameMissing ? t.nameMissing : null}
          autofocus
          required
          value={name}
          onValue={(value) => {
            setName(value.slice(0, 120));
            setNameMissing(false);
          }}
        />
        <Choices
          legend={t.channelTier}
          name="tier"
          values={TIERS}
          value={tier}
          choose={setTier}
          draw={(value) => ({ mark: <TierMark tier={value} />, title: t.tier(value), note: t.tierMeaning(value) })}
        />
        <Choices
          legend={t.channelKind}
          name="kind"
          values={KINDS}
          value={kind}
          choose={setKind}
          draw={(value) => ({ title: value === "dm" ? t.kindDm : t.kindGroup, note: t.kindMeaning(value) })}
        />
        <Members chosen={members} choose={setMembers} />
        <ScriptPicker agentId={members[0] ?? PRIME} chosen={script} choose={setScript} showInUi={showInUi} setShowInUi={setShowInUi} />
        <LongField label={t.channelBrief} hint={t.channelBriefHint} rows={2} value={brief} onValue={setBrief} />
        {trouble && <TroubleNote trouble={trouble} />}
        <div class="acts end">
          <button type="button" class="quiet" onClick={closeDialog}>
            {t.cancel}
          </button>
          <button type="submit" class="go" disabled={busy}>
            {busy ? t.creating : t.create}
          </button>
        </div>
      </form>
    </Modal>
  );
}
