// The way in for the owner: a link by mail.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { accountApi } from "../api/account";
import { Field } from "../parts/Field";
import { BrandMark } from "../parts/Icon";
import { TroubleNote } from "../parts/TroubleNote";
import { isNobody, me } from "../state/me";
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
  // A link that was used in this browser has done its work.
  const isIn = me.value !== null && !isNobody.value;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setMistyped(!/.@./.test(email));
    if (/.@./.test(email) && (await act(() => accountApi.requestLink(email.trim())))) setSent(true);
  };
  return (
    <div class="door">
      <form class="door-in" noValidate onSubmit={(event) => void submit(event)}>
        <BrandMark size={44} />
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
            {isIn && (
              <p class="note">
                <span>{t.already}</span>
                <a class="button" href="/">
                  {t.goOn}
                </a>
              </p>
            )}
            <p class="soft">{t.lead}</p>
            {problem && !isIn && (
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
