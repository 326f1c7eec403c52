// The present course of the open channel, kept as a startup script.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { scriptsApi } from "../api/scripts";
import { OWNER, PRIME } from "../api/types";
import { Field } from "../parts/Field";
import { closeDialog, Modal } from "../parts/Modal";
import { TroubleNote } from "../parts/TroubleNote";
import { actors } from "../state/actors";
import { notify } from "../state/announce";
import { byId } from "../state/channels";
import { openChannelId } from "../state/place";
import { useAct } from "../state/useAct";
import { words } from "../words/all";

const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLocaleLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "-")
    .replace(/^-+|-+$/g, "");

/** The channel's agent, as the server finds it: the first member that is an agent other than Prime, else Prime. */
function agentOf(members: readonly string[]): string {
  return members.find((id) => id !== OWNER && id !== PRIME && actors.value.get(id)?.kind === "agent") ?? PRIME;
}

export default function KeepCourse(): JSX.Element {
  const t = words().scripts;
  const channel = byId.value.get(openChannelId.value);
  const [slug, setSlug] = useState(slugOf(channel?.name ?? ""));
  const { busy, trouble, act, forget } = useAct();
  const exists = trouble?.code === "already_exists";
  const save = async (overwrite: boolean): Promise<void> => {
    const done = await act(async () => {
      const { path } = await scriptsApi.save(openChannelId.value, slug.trim(), overwrite);
      notify({ text: t.kept(path) });
    });
    if (done) closeDialog();
  };
  return (
    <Modal title={t.keep}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (slug.trim()) void save(exists);
        }}
      >
        <p class="soft">{t.keepLead}</p>
        <Field
          label={t.slug}
          hint={t.slugHint}
          mono
          autofocus
          value={slug}
          onValue={(value) => {
            setSlug(value);
            forget();
          }}
        />
        <p class="soft">
          {t.goesTo} <span class="mono break">{`.minds/priming/individual/${agentOf(channel?.members ?? [])}/${slug.trim() || "…"}.md`}</span>
        </p>
        {exists ? <p class="note warn" role="alert">{t.exists}</p> : trouble && <TroubleNote trouble={trouble} />}
        <div class="acts end">
          <button type="button" class="quiet" onClick={closeDialog}>
            {words().cancel}
          </button>
          <button type="submit" class={exists ? "danger" : "go"} disabled={busy || !slug.trim()}>
            {exists ? t.replace : words().save}
          </button>
        </div>
      </form>
    </Modal>
  );
}
