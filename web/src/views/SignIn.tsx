// The way in for the owner: a link by mail.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { accountApi } from "../api/account";
import { Field } from "../parts/Field";
import { TroubleNote } from "../parts/TroubleNote";
import { searched } from "../state/place";
import { useAct } from "../state/useAct";
import { words } from "../words/all";

export default function SignIn(): JSX.Element {
  const t = words().signIn;
  const [email, setEmail] = useState("");
  const [sent, setSent] = useState(false);
  const [mistyped, setMistyped] = useState(false);
  const { busy, trouble, act } = useAct();
  const problem = searched("problem");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setMistyped(!/.@./.test(email));
    if (/.@./.test(email) && (await act(() => accountApi.requestLink(email.trim())))) setSent(true);
  };
  return (
    <div class="door">
      <form class="door-in" noValidate onSubmit={(event) => void submit(event)}>
        <svg width="44" height="44" viewBox="0 0 20 20" aria-hidden="true">
          <rect class="brand-ground" width="20" height="20" rx="6" />
          <path class="brand-line" d="M7 15V5.500h3.700a3.100 3.100 0 0 1 0 6.200H7" />
        </svg>
        <h2>{t.title}</h2>
        {sent ? (
          <div role="status">
            <p>{t.sent}</p>
            <p class="soft">{t.sentTo(email.trim())}</p>
            <p class="soft">{t.sentHint}</p>
            <p class="acts">
              <button type="button" onClick={() => setSent(false)}>
                {t.otherAddress}
              </button>
            </p>
          </div>
        ) : (
          <>
            <p class="soft">{t.lead}</p>
            {problem && (
              <p class="note warn" role="alert">
                {t.problem(problem)}
              </p>
            )}
            <Field label={t.email} type="email" value={email} onValue={setEmail} bad={mistyped ? t.mistyped : null} autofocus required />
            {trouble && <TroubleNote trouble={trouble} />}
            <button type="submit" class="go" disabled={busy || !email.trim()}>
              {t.send}
            </button>
          </>
        )}
      </form>
    </div>
  );
}
