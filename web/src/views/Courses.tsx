// The courses of the open channel: go on with an earlier one, begin a new one, take the dialog along.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { dialogsPath, scriptsApi } from "../api/scripts";
import { Icon } from "../parts/Icon";
import { closeDialog, Modal } from "../parts/Modal";
import { TroubleNote } from "../parts/TroubleNote";
import { notify } from "../state/announce";
import { byId, changeChannel } from "../state/channels";
import { openChannelId } from "../state/place";
import { useAct } from "../state/useAct";
import { words } from "../words/all";

/** The highest course that was seen of each channel: going back does not lose the later ones from sight. */
const highest = new Map<string, number>();

export default function Courses(): JSX.Element {
  const t = words().care;
  const id = openChannelId.value;
  const present = byId.value.get(id)?.course ?? 1;
  highest.set(id, Math.max(present, highest.get(id) ?? 1));
  const [redact, setRedact] = useState(true);
  const { busy, trouble, act } = useAct();
  const take = async (wanted?: number): Promise<void> => {
    const { course } = await scriptsApi.course(id, wanted);
    changeChannel(id, { course });
    notify({ text: wanted ? t.wentBack(course) : words().scripts.newCourseDone(course) });
    closeDialog();
  };
  return (
    <Modal title={t.courses}>
      <div class="form">
        <p class="soft">{t.coursesLead}</p>
        <ul class="lines">
          {Array.from({ length: highest.get(id) ?? 1 }, (_, index) => index + 1).map((course) => (
            <li key={course} class="line still">
              <span class="line-main">
                <b>{t.course(course)}</b>
              </span>
              <span class="line-side">
                {course === present ? (
                  <small>{t.present}</small>
                ) : (
                  <button type="button" class="small" disabled={busy} onClick={() => void act(() => take(course))}>
                    {t.goOn}
                  </button>
                )}
              </span>
            </li>
          ))}
        </ul>
        <label class="check">
          <input type="checkbox" checked={redact} onChange={(event) => setRedact(event.currentTarget.checked)} />
          {t.redact}
        </label>
        <p>
          <a class="button" href={dialogsPath(id, redact)} download={`${id}.jsonl`}>
            <Icon name="down" size={18} />
            {t.takeAlong}
          </a>
        </p>
        {trouble && <TroubleNote trouble={trouble} />}
        <div class="acts end">
          <button type="button" class="quiet" onClick={closeDialog}>
            {words().cancel}
          </button>
          <button type="button" class="go" disabled={busy} onClick={() => void act(() => take())}>
            {words().scripts.newCourse}
          </button>
        </div>
      </div>
    </Modal>
  );
}
