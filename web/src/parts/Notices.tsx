import type { JSX } from "preact";
import { dismiss, notices, spoken } from "../state/announce";
import { words } from "../words";
import { Icon } from "./Icon";
import { TroubleNote } from "./TroubleNote";

export function Notices(): JSX.Element {
  return (
    <>
      <div class="notices">
        {notices.value.map((notice) => (
          <div class="notice" key={notice.id}>
            {notice.trouble ? <TroubleNote trouble={notice.trouble} /> : <p role="status">{notice.text}</p>}
            <button type="button" class="quiet icon-only" aria-label={words().close} onClick={() => dismiss(notice.id)}>
              <Icon name="close" size={16} />
            </button>
          </div>
        ))}
      </div>
      <p class="sr" aria-live="polite">
        {spoken.value}
      </p>
    </>
  );
}
