import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { instanceApi } from "../../api/instance";
import { dialogsPath } from "../../api/scripts";
import { Field } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { announce } from "../../state/announce";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { fileSize, fullTime, since } from "../../words/format";
import { Rebuild } from "./Rebuild";

/** A plain download: the browser shows how far it has come and keeps it where the person keeps such things. */
function Export(): JSX.Element {
  const t = words().settings;
  return (
    <Section title={t.export} note={t.exportNote}>
      <p>
        <a class="button" href="/api/export" download>
          <Icon name="down" size={18} />
          {t.exportAll}
        </a>
      </p>
    </Section>
  );
}

/** Dialogs alone, in the form that models are trained with. */
function Dialogs(): JSX.Element {
  const t = words().care;
  const [redact, setRedact] = useState(true);
  return (
    <Section title={t.dialogs} note={t.dialogsNote}>
      <label class="check">
        <input type="checkbox" checked={redact} onChange={(event) => setRedact(event.currentTarget.checked)} />
        {t.redact}
      </label>
      <p>
        <a class="button" href={dialogsPath(null, redact)} download="dialogs.jsonl">
          <Icon name="down" size={18} />
          {t.dialogsDo}
        </a>
      </p>
    </Section>
  );
}

interface Sealing {
  full: boolean;
  passphrase: string;
}

function Options({ sealing, change }: { sealing: Sealing; change: (sealing: Sealing) => void }): JSX.Element {
  const t = words().care;
  return (
    <details class="note-fold">
      <summary>{t.sealing}</summary>
      <div class="form">
        <label class="check">
          <input type="checkbox" checked={sealing.full} onChange={(event) => change({ ...sealing, full: event.currentTarget.checked })} />
          <span>
            {t.full}
            <small class="below">{t.fullNote}</small>
          </span>
        </label>
        <div class="filters even">
          <Field label={t.passphrase} hint={t.passphraseNote} type="password" value={sealing.passphrase} onValue={(passphrase) => change({ ...sealing, passphrase })} />
        </div>
      </div>
    </details>
  );
}

export function Backups(): JSX.Element {
  const t = words().settings;
  const { now, again } = useRead(() => instanceApi.backups(), "backups");
  const { busy, trouble, act } = useAct();
  const [sealing, setSealing] = useState<Sealing>({ full: false, passphrase: "" });
  const backUp = async (): Promise<void> => {
    const wanted = { full: sealing.full, ...(sealing.passphrase ? { passphrase: sealing.passphrase } : {}) };
    if (await act(() => instanceApi.backUp(wanted))) {
      announce(t.backedUp);
      await again();
    }
  };
  return (
    <>
      <Section
        title={t.section.backups}
        note={t.backupsNote}
        actions={
          <button type="button" disabled={busy} onClick={() => void backUp()}>
            {busy ? t.backingUp : t.backUp}
          </button>
        }
      >
        <Options sealing={sealing} change={setSealing} />
        {trouble && <TroubleNote trouble={trouble} />}
        <Shown now={now} again={() => void again()}>
          {(page) =>
            page.items.length === 0 ? (
              <Nothing icon="archive" title={t.noBackups}>
                <p>{t.noBackupsHint}</p>
              </Nothing>
            ) : (
              <ul class="lines">
                {page.items.map((backup) => (
                  <li key={backup.name} class="line still">
                    <span class="line-main">
                      <b class="mono break">{backup.name}</b>
                      <span title={fullTime(backup.createdAt)}>{since(backup.createdAt)}</span>
                    </span>
                    <span class="line-side">
                      <small>{fileSize(backup.size)}</small>
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </Section>
      <Export />
      <Dialogs />
      <Rebuild />
    </>
  );
}
