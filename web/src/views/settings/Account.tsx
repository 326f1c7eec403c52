// Who is signed in, and on which devices.
import type { JSX } from "preact";
import { accountApi, type Session } from "../../api/account";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { announce } from "../../state/announce";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { fullTime, since } from "../../words/format";

/** A browser and a system, out of the long line that browsers send. */
export function deviceName(agent: string): string {
  const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(agent)?.[0]?.replace("Edg", "Edge").replace("OPR", "Opera");
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0]?.replace("Mac OS", "macOS");
  return browser ? [browser, system].filter(Boolean).join(", ") : agent || words().account.unknownDevice;
}

function Row({ session, changed }: { session: Session; changed: () => void }): JSX.Element {
  const t = words().account;
  const { busy, trouble, act } = useAct();
  const end = async (): Promise<void> => {
    if (!(await act(() => accountApi.endSession(session.id)))) return;
    announce(t.ended);
    if (session.current) location.assign("/sign-in");
    else changed();
  };
  return (
    <li class="line still">
      <span class="line-main">
        <b>
          {deviceName(session.device)} {session.current && <span class="badge safe">{t.thisOne}</span>}
          {session.role === "guest" && <span class="badge">{t.guest(session.name)}</span>}
        </b>
        <span title={fullTime(session.seenAt)}>{t.seen(since(session.seenAt))}</span>
        {trouble && <TroubleNote trouble={trouble} />}
      </span>
      <span class="line-side">
        <button type="button" class="small" disabled={busy} onClick={() => void end()}>
          {t.signOut}
        </button>
      </span>
    </li>
  );
}

export function Account(): JSX.Element {
  const t = words().account;
  const me = useRead(() => accountApi.me(), "me");
  const { now, again } = useRead(() => accountApi.sessions(), "sessions");
  const { busy, trouble, act } = useAct();
  const open = me.now.state === "ready" && me.now.value.open;
  const leave = async (): Promise<void> => {
    if (await act(() => accountApi.logOut())) location.assign("/sign-in");
  };
  return (
    <>
      <Section
        title={t.title}
        note={open ? `${words().openBanner} ${words().openStep}` : t.note}
        actions={
          !open && (
            <button type="button" disabled={busy} onClick={() => void leave()}>
              {t.signOutHere}
            </button>
          )
        }
      >
        {trouble && <TroubleNote trouble={trouble} />}
      </Section>
      <Section
        title={t.sessions}
        note={t.sessionsNote}
        actions={
          !open && (
            <button type="button" class="quiet" disabled={busy} onClick={() => void act(() => accountApi.endOthers()).then(() => void again())}>
              {t.signOutOthers}
            </button>
          )
        }
      >
        <Shown now={now} again={() => void again()}>
          {({ items }) =>
            items.length === 0 ? (
              <Nothing icon="person" title={t.noSessions}>
                <p>{t.noSessionsHint}</p>
              </Nothing>
            ) : (
              <ul class="lines">
                {items.map((session) => (
                  <Row key={session.id} session={session} changed={() => void again()} />
                ))}
              </ul>
            )
          }
        </Shown>
      </Section>
    </>
  );
}
