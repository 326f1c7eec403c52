import type { JSX } from "preact";
import { instanceApi } from "../../api/instance";
import { Icon } from "../../parts/Icon";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { announce } from "../../state/announce";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words";
import { fileSize, fullTime, since } from "../../words/format";

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

export function Backups(): JSX.Element {
  const t = words().settings;
  const { now, again } = useRead(() => instanceApi.backups(), "backups");
  const { busy, trouble, act } = useAct();
  const backUp = async (): Promise<void> => {
    if (await act(() => instanceApi.backUp())) {
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
    </>
  );
}
