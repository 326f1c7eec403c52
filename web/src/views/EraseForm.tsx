// One message goes for good: what that means, what goes, and where it is still kept afterwards.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api/client";
import { instanceApi } from "../api/instance";
import { TroubleNote } from "../parts/TroubleNote";
import { closeDialog, Modal } from "../parts/Modal";
import { notify } from "../state/announce";
import { blank } from "../state/conversation";
import { toErase } from "../state/dialogs";
import { filesOf } from "../state/files";
import { useAct } from "../state/useAct";
import { words } from "../words/all";

const EXCERPT = 240;

function What({ all, choose }: { all: boolean; choose: (all: boolean) => void }): JSX.Element {
  const t = words().care;
  return (
    <fieldset>
      <legend>{t.eraseWhat}</legend>
      <div class="choices">
        {[true, false].map((each) => (
          <label class="choice" key={String(each)}>
            <input type="radio" name="what" checked={all === each} onChange={() => choose(each)} />
            <span>
              <b>{each ? t.eraseAll : t.eraseFiles}</b>
              <small>{each ? t.eraseAllNote : t.eraseFilesNote}</small>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export default function EraseForm(): JSX.Element {
  const t = words().care;
  const message = toErase.value;
  const files = message ? filesOf(message) : [];
  const [all, setAll] = useState(true);
  const { busy, trouble, act } = useAct();
  const erase = async (id: string): Promise<void> => {
    if (!all) {
      for (const file of files) await api.removeAttachment(file);
      return notify({ text: t.filesGone });
    }
    const gone = await instanceApi.erase([id]);
    blank(gone.messageIds);
    // What was made of it went with it; the person erased one.
    notify({ text: t.erased(1, gone.backups.length) });
  };
  return (
    <Modal title={t.eraseTitle}>
      <div class="form">
        <p class="soft">{t.eraseLead}</p>
        {message?.text && <blockquote class="quote">{message.text.length > EXCERPT ? `${message.text.slice(0, EXCERPT)}…` : message.text}</blockquote>}
        {files.length > 0 && <What all={all} choose={setAll} />}
        {trouble && <TroubleNote trouble={trouble} />}
        <div class="acts end">
          <button type="button" class="quiet" autofocus onClick={closeDialog}>
            {words().cancel}
          </button>
          <button type="button" class="danger" disabled={busy || !message} onClick={() => message && void act(() => erase(message.id)).then((done) => done && closeDialog())}>
            {t.eraseDo}
          </button>
        </div>
      </div>
    </Modal>
  );
}
