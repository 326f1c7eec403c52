// How Prime runs, in full: what the strip has no room for.
import type { JSX } from "preact";
import { follow } from "../state/place";
import { status } from "../state/status";
import { words } from "../words/all";
import { dollars, plainNumber } from "../words/format";
import { closeDialog, Modal } from "../parts/Modal";
import { engineName } from "../parts/StatusStrip";
import { TroubleNote } from "../parts/TroubleNote";

export default function About(): JSX.Element {
  const t = words();
  const now = status.value;
  return (
    <Modal title={t.about}>
      {now.state === "failed" && <TroubleNote trouble={now.trouble} />}
      {now.state === "ready" && (
        <>
          <dl class="facts">
            <div>
              <dt>{t.engine}</dt>
              <dd>{engineName(now.value.model)}</dd>
            </div>
            <div>
              <dt>{t.mode}</dt>
              <dd>{t.autonomy(now.value.autonomyMode)}</dd>
            </div>
            <div>
              <dt>{t.calls}</dt>
              <dd>
                {now.value.calls.cap > 0
                  ? t.callsOf(plainNumber(now.value.calls.used), plainNumber(now.value.calls.cap))
                  : t.callsUsed(plainNumber(now.value.calls.used))}
              </dd>
            </div>
            <div>
              <dt>{t.spent}</dt>
              <dd>
                {dollars(now.value.spend.dollars)}
                {!now.value.spend.priced && ` · ${t.priceUnknownWhy}`}
              </dd>
            </div>
            <div>
              <dt>{t.learned}</dt>
              <dd>{plainNumber(now.value.counters.rules)}</dd>
            </div>
            <div>
              <dt>{t.access}</dt>
              <dd>{now.value.open ? t.accessOpen : t.accessOwner}</dd>
            </div>
            <div>
              <dt>{t.version}</dt>
              <dd>{now.value.version}</dd>
            </div>
          </dl>
          {now.value.model === "offline" && (
            <>
              <p class="soft">{t.aboutOffline}</p>
              <p class="soft">
                {t.aboutConnect}{" "}
                <a
                  href="/settings/model"
                  onClick={(event) => {
                    closeDialog();
                    follow(event);
                  }}
                >
                  {t.model.connect}
                </a>
              </p>
            </>
          )}
          {now.value.open && (
            <p class="soft">
              {t.openBanner} {t.openStep}
            </p>
          )}
        </>
      )}
    </Modal>
  );
}
