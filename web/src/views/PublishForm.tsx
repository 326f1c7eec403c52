// Files of a message, proposed to be put where others can see them. What leaves is shown before it does.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { gateApi, type Connector } from "../api/gate";
import { Choice, Field } from "../parts/Field";
import { closeDialog, Modal } from "../parts/Modal";
import { TroubleNote } from "../parts/TroubleNote";
import { Shown } from "../parts/View";
import { announce, notify } from "../state/announce";
import { toPublish, type ToPublish } from "../state/dialogs";
import { hearDraft } from "../state/drafts";
import { fileOf } from "../state/files";
import { useAct } from "../state/useAct";
import { useRead } from "../state/useRead";
import { words } from "../words/all";
import { inWords } from "../words/said";

/** Names of files as a site has them; two of one name stay two. */
function pathsOf(ids: readonly string[]): { path: string; attachmentId: string }[] {
  const taken = new Set<string>();
  return ids.map((id, at) => {
    const name = fileOf(id)?.name ?? id;
    const path = taken.has(name) ? `${at + 1}-${name}` : name;
    taken.add(path);
    return { path, attachmentId: id };
  });
}

const withoutEnding = (name: string): string => name.replace(/\.[^.]{1,8}$/, "");

function Form({ wanted, places }: { wanted: ToPublish; places: readonly Connector[] }): JSX.Element {
  const t = words().publish;
  const files = pathsOf(wanted.attachmentIds);
  const [title, setTitle] = useState(withoutEnding(files[0]?.path ?? ""));
  const [place, setPlace] = useState(places.find((each) => each.status.state === "connected")?.name ?? "folder");
  const { busy, trouble, act } = useAct();
  const propose = async (): Promise<void> => {
    const done = await act(async () => {
      const draft = await gateApi.publish({ connector: place, title: title.trim(), description: "", files, channelId: wanted.channelId });
      hearDraft(draft);
      const said = draft.status === "sent" ? t.published : t.proposed;
      announce(said);
      notify({ text: said });
    });
    if (done) closeDialog();
  };
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim()) void propose();
      }}
    >
      <p class="soft">{t.lead}</p>
      <Field label={t.title} autofocus value={title} onValue={setTitle} />
      <Choice
        label={t.where}
        value={place}
        onValue={setPlace}
        options={places.map(({ name, title: shown, status }) => ({
          value: name,
          name: status.state === "connected" ? inWords(shown) : `${inWords(shown)} (${words().connectors.state[status.state]})`,
        }))}
      />
      <ul class="plain-list">
        {files.map(({ path }) => (
          <li key={path} class="soft break">
            {path}
          </li>
        ))}
      </ul>
      {trouble && <TroubleNote trouble={trouble} />}
      <div class="acts end">
        <button type="button" class="quiet" onClick={closeDialog}>
          {words().cancel}
        </button>
        <button type="submit" class="go" disabled={busy || !title.trim()}>
          {t.propose}
        </button>
      </div>
    </form>
  );
}

export default function PublishForm(): JSX.Element | null {
  const wanted = toPublish.value;
  const { now, again } = useRead(() => gateApi.connectors(), "places");
  if (!wanted) return null;
  return (
    <Modal title={words().publish.name}>
      <Shown now={now} again={() => void again()}>
        {({ items }) => <Form wanted={wanted} places={items.filter(({ kind }) => kind === "publish")} />}
      </Shown>
    </Modal>
  );
}
