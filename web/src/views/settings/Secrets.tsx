// Secrets: written here, never read back.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { instanceApi, type Secret } from "../../api/instance";
import { Field } from "../../parts/Field";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown } from "../../parts/View";
import { notify } from "../../state/announce";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { since } from "../../words/format";

/** A secret that a part of Prime keeps for itself, as a person would call it: `connector:telegram:session`. */
function keptBy(name: string): string | null {
  const t = words().settings;
  if (name === "push:vapid") return t.keptForPush;
  const [, connector, what] = /^connector:([^:]+):(.+)$/.exec(name) ?? [];
  if (!connector || !what) return null;
  return t.keptFor(connector.charAt(0).toLocaleUpperCase() + connector.slice(1).replaceAll("_", " "), what.replaceAll("_", " "));
}

function Row({ secret, changed }: { secret: Secret; changed: () => void }): JSX.Element {
  const t = words().settings;
  const kept = keptBy(secret.name);
  const { busy, trouble, act } = useAct();
  return (
    <li class="line still">
      <span class="line-main">
        <b class={kept ? "" : "mono break"}>{kept ?? secret.name}</b>
        <span>
          {secret.since && t.setSince(since(secret.since))} {secret.lastUsed ? t.lastUsed(since(secret.lastUsed)) : t.neverUsed}
        </span>
        {trouble && <TroubleNote trouble={trouble} />}
      </span>
      <span class="line-side">
        <button type="button" class="small" disabled={busy} aria-label={t.forgetNamed(secret.name)} onClick={() => void act(() => instanceApi.forgetSecret(secret.name)).then((ok) => ok && changed())}>
          {t.forget}
        </button>
      </span>
    </li>
  );
}

function Write({ written }: { written: () => void }): JSX.Element {
  const t = words().settings;
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const { busy, trouble, act } = useAct();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!name.trim() || !value) return;
    if (await act(() => instanceApi.putSecret(name.trim(), value))) {
      notify({ text: t.secretKept(name.trim()) });
      setName("");
      setValue("");
      written();
    }
  };
  return (
    <form class="form" noValidate onSubmit={(event) => void submit(event)}>
      <div class="filters even">
        <Field label={t.secretName} value={name} onValue={setName} mono placeholder="GITHUB_TOKEN" />
        <Field label={t.secretValue} type="password" value={value} onValue={setValue} />
      </div>
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="submit" class="go" disabled={busy || !name.trim() || !value}>
          {t.keepSecret}
        </button>
      </p>
    </form>
  );
}

export function Secrets(): JSX.Element {
  const t = words().settings;
  const { now, again } = useRead(() => instanceApi.secrets(), "secrets");
  return (
    <Section title={t.section.secrets} note={t.secretsNote}>
      <Write written={() => void again()} />
      <Shown now={now} again={() => void again()}>
        {(page) =>
          page.items.length === 0 ? (
            <Nothing icon="open" title={t.noSecrets}>
              <p>{t.noSecretsHint}</p>
            </Nothing>
          ) : (
            <ul class="lines">
              {page.items.map((secret) => (
                <Row key={secret.name} secret={secret} changed={() => void again()} />
              ))}
            </ul>
          )
        }
      </Shown>
    </Section>
  );
}
