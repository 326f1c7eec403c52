// Something read on X that the owner wants answered: Prime drafts, the owner copies it and sends it there.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { gateApi } from "../../api/gate";
import { Field, LongField } from "../../parts/Field";
import { TroubleNote } from "../../parts/TroubleNote";
import { notify } from "../../state/announce";
import { useAct } from "../../state/useAct";
import { words } from "../../words/all";

export function Paste(): JSX.Element {
  const t = words().connectors;
  const [author, setAuthor] = useState("");
  const [text, setText] = useState("");
  const { busy, trouble, act } = useAct();
  const submit = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      await gateApi.paste(author.trim(), text.trim());
      setText("");
      notify({ text: t.pasted });
    });
  };
  return (
    <form class="form" noValidate aria-label={t.paste} onSubmit={submit}>
      <Field label={t.pasteAuthor} placeholder="@name" value={author} onValue={setAuthor} />
      <LongField label={t.pasteText} hint={t.pasteHint} rows={3} value={text} onValue={setText} />
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="submit" class="small" disabled={busy || !author.trim() || !text.trim()}>
          {t.paste}
        </button>
      </p>
    </form>
  );
}
