import type { JSX } from "preact";
import { api } from "../api/client";
import { HUB } from "../api/types";
import { loadChannels } from "../state/channels";
import { go, openChannelId, pathToChannel } from "../state/place";
import { useAct } from "../state/useAct";
import { words } from "../words/all";
import { closeDialog, Modal } from "../parts/Modal";
import { TroubleNote } from "../parts/TroubleNote";

export default function CloseChannel(): JSX.Element {
  const t = words();
  const { busy, trouble, act } = useAct();
  const close = async (): Promise<void> => {
    const done = await act(() => api.closeChannel(openChannelId.value));
    if (!done) return;
    closeDialog();
    go(pathToChannel(HUB));
    await loadChannels();
  };
  return (
    <Modal title={t.scripts.close}>
      <p class="soft">{t.scripts.closeSure}</p>
      {trouble && <TroubleNote trouble={trouble} />}
      <div class="acts end">
        <button type="button" class="quiet" onClick={closeDialog}>
          {t.cancel}
        </button>
        <button type="button" class="danger" disabled={busy} onClick={() => void close()}>
          {t.scripts.close}
        </button>
      </div>
    </Modal>
  );
}
