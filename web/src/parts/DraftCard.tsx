// Something Prime wants to send as the owner: the exact words, why it did not send them by itself, and what to do with them.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { gateApi, type Draft } from "../api/gate";
import { announce } from "../state/announce";
import { hearDraft } from "../state/drafts";
import { kept } from "../state/kept";
import { useAct } from "../state/useAct";
import { words } from "../words";
import { shortTime } from "../words/format";
import { inWords } from "../words/said";
import { CopyButton } from "./CopyButton";
import { LongField } from "./Field";
import { Leaving } from "./Leaving";
import { ChannelTag } from "./Tags";
import { TroubleNote } from "./TroubleNote";

/** A connector's id as a name: telegram, Telegram. */
const asName = (connector: string): string => connector.charAt(0).toUpperCase() + connector.slice(1).replaceAll("_", " ");

function Progress({ draft }: { draft: Draft }): JSX.Element {
  const t = words();
  const { progress } = draft;
  return (
    <p class="meta" role="status">
      <span class="busy" aria-hidden="true" />
      {progress ? t.draft.progress(progress.what, progress.done, progress.of) : t.draft.sending}
    </p>
  );
}

interface ActsProps {
  draft: Draft;
  busy: boolean;
  edited: string | null;
  edit: (text: string | null) => void;
  decide: (work: () => Promise<Draft>, said: string) => void;
}

function Uncertain({ draft, busy, decide }: ActsProps): JSX.Element {
  const t = words().draft;
  return (
    <p class="acts">
      <button type="button" disabled={busy} onClick={() => decide(() => gateApi.resolve(draft.id, "sent"), t.saidSent)}>
        {t.itWasSent}
      </button>
      <button type="button" disabled={busy} onClick={() => decide(() => gateApi.resolve(draft.id, "not_sent"), t.saidNotSent)}>
        {t.itWasNotSent}
      </button>
    </p>
  );
}

function Acts({ draft, busy, edited, edit, decide }: ActsProps): JSX.Element {
  const t = words().draft;
  const text = edited ?? draft.text;
  const isPublication = draft.kind === "publish"; // its files are what leaves; the text only tells about them
  const approve = (): void => decide(() => gateApi.approve(draft.id, edited === null ? undefined : text), t.approved);
  return (
    <p class="acts">
      {draft.copyOnly ? (
        <>
          <CopyButton text={text} />
          <button type="button" class="go" data-done disabled={busy} onClick={() => decide(() => gateApi.resolve(draft.id, "sent"), t.saidSent)}>
            {t.iSentIt}
          </button>
        </>
      ) : (
        <button type="button" class="go" data-done disabled={busy || !text.trim()} onClick={approve}>
          {busy ? t.sending : isPublication ? words().publish.approve : edited === null ? t.approve : t.approveEdited}
        </button>
      )}
      {isPublication ? (
        Object.keys(draft.result).length > 0 && (
          <button type="button" class="danger" disabled={busy} onClick={() => decide(() => gateApi.undo(draft.id), words().publish.undone)}>
            {words().publish.undoHalf}
          </button>
        )
      ) : (
        <button type="button" disabled={busy} onClick={() => edit(edited === null ? draft.text : null)}>
          {edited === null ? t.edit : t.undoEdit}
        </button>
      )}
      <button type="button" class="quiet" disabled={busy} onClick={() => decide(() => gateApi.reject(draft.id), t.rejected)}>
        {t.reject}
      </button>
    </p>
  );
}

export function DraftCard({ draft }: { draft: Draft }): JSX.Element {
  const t = words().draft;
  const card = useRef<HTMLElement>(null);
  const unsent = `draft:${draft.id}`;
  const [edited, setEdited] = useState<string | null>(() => kept.read(unsent));
  const edit = (text: string | null): void => {
    setEdited(text);
    kept.write(unsent, text ?? "");
  };
  const { busy, trouble, act } = useAct();
  const decide = async (work: () => Promise<Draft>, said: string): Promise<void> => {
    const hadFocus = card.current?.contains(document.activeElement);
    const next = (card.current?.nextElementSibling ?? card.current?.previousElementSibling) as HTMLElement | null;
    if (!(await act(async () => hearDraft(await work())))) return;
    kept.write(unsent, "");
    announce(said);
    if (hadFocus) next?.focus();
  };
  const acts: ActsProps = { draft, busy, edited, edit, decide: (work, said) => void decide(work, said) };
  return (
    <article ref={card} class="card draft" data-card id={`card-${draft.id}`} tabIndex={-1} aria-label={t.label(draft.title || draft.connector)}>
      <p class="meta">
        <ChannelTag channelId={draft.channelId} />
        <span>{t.from(asName(draft.connector))}</span>
        <time dateTime={draft.createdAt}>{shortTime(draft.createdAt)}</time>
      </p>
      {draft.title && <h3>{draft.title}</h3>}
      {draft.trigger && <p class="trigger">{draft.trigger}</p>}
      {edited === null ? <blockquote class="quote">{draft.text}</blockquote> : <LongField label={t.yourWords} rows={4} value={edited} onValue={edit} />}
      {draft.kind === "publish" && <Leaving draft={draft} />}
      {draft.reason && <p class="why">{t.reason(inWords(draft.reason.replace(`Everything on ${draft.connector} `, `Everything on ${asName(draft.connector)} `)))}</p>}
      {draft.status === "sending" && <Progress draft={draft} />}
      {draft.status === "uncertain" && <Uncertain {...acts} />}
      {draft.status === "pending" && <Acts {...acts} />}
      {trouble && <TroubleNote trouble={trouble} />}
    </article>
  );
}
