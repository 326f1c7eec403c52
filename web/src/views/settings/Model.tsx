// The mind of the moment, and a form that tries a model live before it is used.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { mindApi, type ModelChoice, type Tried } from "../../api/mind";
import { Field } from "../../parts/Field";
import { Segments } from "../../parts/Segments";
import { TroubleNote } from "../../parts/TroubleNote";
import { Section, Shown } from "../../parts/View";
import { notify } from "../../state/announce";
import { loadStatus } from "../../state/status";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { inWords } from "../../words/said";

/** Who a model comes from, and the one that is usual there; `other` speaks OpenAI's API at an address of its own. */
const PROVIDERS = { openai: "gpt-5-mini", anthropic: "claude-sonnet-4-6", gemini: "gemini-3.5-flash", ollama: "qwen3:8b", other: "my-model" } as const;
type Provider = keyof typeof PROVIDERS;

function Connect({ changed }: { changed: () => void }): JSX.Element {
  const t = words().model;
  const [provider, setProvider] = useState<Provider>("openai");
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const [address, setAddress] = useState("");
  const [tried, setTried] = useState<Tried | null>(null);
  const { busy, trouble, act } = useAct();
  const model = `${provider === "other" ? "openai" : provider}:${name.trim() || PROVIDERS[provider]}`;
  const elsewhere = provider === "other" || provider === "ollama";
  const lacking = provider === "other" ? !name.trim() || !address.trim() : provider !== "ollama" && !key;
  const choice = (): ModelChoice => ({ model, ...(key ? { key } : {}), ...(elsewhere && address.trim() ? { baseUrl: address.trim() } : {}) });
  const edited =
    (set: (value: string) => void) =>
    (value: string): void => {
      set(value);
      setTried(null);
    };
  const attempt = (event: Event): void => {
    event.preventDefault();
    void act(async () => setTried(await mindApi.attempt(choice())));
  };
  const use = async (): Promise<void> => {
    if (await act(() => mindApi.connect(choice()))) {
      notify({ text: t.used(model) });
      setKey("");
      setTried(null);
      changed();
    }
  };
  return (
    <form class="form" noValidate onSubmit={attempt}>
      <Segments
        label={t.provider}
        values={Object.keys(PROVIDERS) as Provider[]}
        value={provider}
        name={(each) => t.providerName[each]}
        choose={(each) => {
          setProvider(each);
          setTried(null);
        }}
      />
      <div class="filters even">
        <Field label={t.name} hint={provider === "other" ? undefined : t.nameHint} value={name} onValue={edited(setName)} mono placeholder={PROVIDERS[provider]} />
        {provider !== "ollama" && <Field label={t.key} hint={provider === "other" ? t.keyHint : undefined} type="password" value={key} onValue={edited(setKey)} />}
        {elsewhere && <Field label={t.address} hint={provider === "ollama" ? t.addressHintOllama : t.addressHint} type="url" value={address} onValue={edited(setAddress)} mono placeholder={provider === "ollama" ? "http://127.0.0.1:11434" : "http://127.0.0.1:8080/v1"} />}
      </div>
      {trouble && <TroubleNote trouble={trouble} />}
      {tried && (
        <p class={tried.ok ? "note" : "note warn"} role="status">
          {tried.ok ? t.answered(tried.name, tried.text) : t.refused(tried.name, tried.text)}
        </p>
      )}
      <p class="acts">
        <button type="submit" class={tried?.ok ? "" : "go"} disabled={busy || lacking}>
          {busy ? t.trying : t.attempt}
        </button>
        {tried?.ok && (
          <button type="button" class="go" disabled={busy} onClick={() => void use()}>
            {t.use}
          </button>
        )}
      </p>
    </form>
  );
}

export function Model(): JSX.Element {
  const t = words().model;
  const { now, again } = useRead(() => mindApi.now(), "mind");
  const { busy, trouble, act } = useAct();
  const renew = async (): Promise<void> => void (await Promise.all([again(), loadStatus()]));
  const leave = async (): Promise<void> => {
    if (await act(() => mindApi.leave())) notify({ text: t.left });
    await renew();
  };
  return (
    <>
      <Section title={t.title}>
        <Shown now={now} again={() => void again()}>
          {(mind) => (
            <>
              <p>{t.now(mind.name)}</p>
              <p class="soft">{inWords(mind.reason)}</p>
              {mind.name !== "offline" && (
                <p class="acts">
                  <button type="button" disabled={busy} onClick={() => void leave()}>
                    {t.leave}
                  </button>
                </p>
              )}
            </>
          )}
        </Shown>
        {trouble && <TroubleNote trouble={trouble} />}
      </Section>
      <Section title={t.connect} note={t.note}>
        <Connect changed={() => void renew()} />
      </Section>
    </>
  );
}
