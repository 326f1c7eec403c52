// What can be done with one message: copy it, copy its address, say it again, publish its files, erase it.
import type { JSX } from "preact";
import { asTrouble } from "../api/client";
import type { Message } from "../api/types";
import { announce, notify } from "../state/announce";
import { beginErasing, beginPublishing, suggestedText } from "../state/dialogs";
import { filesOf } from "../state/files";
import { isGuest, selfId } from "../state/me";
import { pathToChannel } from "../state/place";
import { words } from "../words";
import { Icon, type IconName } from "./Icon";

async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(done);
    notify({ text: done });
  } catch (cause) {
    notify({ trouble: asTrouble(cause) });
  }
}

function Act({ name, icon, act }: { name: string; icon: IconName; act: () => void }): JSX.Element {
  return (
    <button type="button" class="quiet icon-only tiny" aria-label={name} title={name} onClick={act}>
      <Icon name={icon} size={15} />
    </button>
  );
}

export function MessageActs({ message }: { message: Message }): JSX.Element {
  const t = words();
  const attachmentIds = filesOf(message);
  const address = `${location.origin}${pathToChannel(message.channelId, message.id)}`;
  return (
    <span class="message-acts">
      <Act name={t.copy} icon="copy" act={() => void copy(message.text, t.copied)} />
      <Act name={t.link} icon="link" act={() => void copy(address, t.linkCopied)} />
      {message.actorId === selfId.value && <Act name={t.sayAgain} icon="refresh" act={() => (suggestedText.value = { text: message.text })} />}
      {attachmentIds.length > 0 && !isGuest.value && (
        <Act name={t.publish.name} icon="rocket" act={() => beginPublishing({ channelId: message.channelId, attachmentIds })} />
      )}
      {!isGuest.value && <Act name={t.care.erase} icon="erase" act={() => beginErasing(message)} />}
    </span>
  );
}
