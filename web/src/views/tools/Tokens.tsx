// Tokens for MCP clients elsewhere: each may do less than the owner's policy allows, never more.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { mcpApi, type Token } from "../../api/mcp";
import { CopyButton } from "../../parts/CopyButton";
import { Field } from "../../parts/Field";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Section, Shown, View } from "../../parts/View";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { since } from "../../words/format";
import { ToolTabs } from "./tabs";

/** What may be left to a client; what is not left is taken away. Reading is always left. */
const EFFECTS = ["write", "delete", "network", "subprocess", "destructive", "billable"] as const;

function Effects({ left, leave }: { left: readonly string[]; leave: (effects: readonly string[]) => void }): JSX.Element {
  const t = words().mcp;
  return (
    <fieldset>
      <legend>{t.clientEffects}</legend>
      <div class="member-list">
        {EFFECTS.map((effect) => (
          <label class="check" key={effect}>
            <input type="checkbox" checked={left.includes(effect)} onChange={(event) => leave(event.currentTarget.checked ? [...left, effect] : left.filter((other) => other !== effect))} />
            {t.clientEffect[effect]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Make({ made }: { made: () => void }): JSX.Element {
  const t = words().mcp;
  const [name, setName] = useState("");
  const [tools, setTools] = useState("");
  const [days, setDays] = useState("");
  const [left, setLeft] = useState<readonly string[]>(EFFECTS);
  const [token, setToken] = useState<string | null>(null);
  const { busy, trouble, act } = useAct();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!name.trim()) return;
    void act(async () => {
      const wanted = tools.split(/[\s,]+/).filter(Boolean);
      const effects = left.length === EFFECTS.length ? null : [...left];
      setToken((await mcpApi.createToken(name.trim(), wanted, effects, Number(days) > 0 ? Number(days) : null)).token);
      setName("");
      made();
    });
  };
  return (
    <form class="form" noValidate onSubmit={submit}>
      <div class="filters three">
        <Field label={t.clientName} placeholder="laptop" value={name} onValue={setName} />
        <Field label={t.clientTools} hint={t.clientToolsHint} placeholder="git_* ls" value={tools} onValue={setTools} mono />
        <Field label={t.clientDays} hint={t.clientDaysHint} type="number" min={1} value={days} onValue={setDays} />
      </div>
      <Effects left={left} leave={setLeft} />
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="submit" class="go" disabled={busy || !name.trim()}>
          {t.makeToken}
        </button>
      </p>
      {token && (
        <div class="note column" role="status">
          <p>{t.tokenOnce}</p>
          <p class="mono break">{token}</p>
          <CopyButton text={token} />
        </div>
      )}
    </form>
  );
}

function Row({ token, changed }: { token: Token; changed: () => void }): JSX.Element {
  const t = words().mcp;
  const { busy, trouble, act } = useAct();
  return (
    <li class="line still">
      <span class="line-main">
        <b>{token.name}</b>
        <span>
          {t.made(since(token.created))} {token.lastUsed ? words().settings.lastUsed(since(token.lastUsed)) : words().settings.neverUsed} {token.expires && t.ends(since(token.expires))}
        </span>
        {trouble && <TroubleNote trouble={trouble} />}
      </span>
      <span class="line-side">
        <button type="button" class="small" disabled={busy} onClick={() => void act(() => mcpApi.revokeToken(token.name)).then((ok) => ok && changed())}>
          {t.revoke}
        </button>
      </span>
    </li>
  );
}

export function Tokens(): JSX.Element {
  const t = words().mcp;
  const { now, again } = useRead(() => mcpApi.tokens(), "tokens");
  return (
    <View title={words().tools.title} lead={t.tokensLead} tabs={<ToolTabs />}>
      <Section title={t.newToken}>
        <Make made={() => void again()} />
      </Section>
      <Shown now={now} again={() => void again()}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing icon="open" title={t.noTokens}>
              <p>{t.noTokensHint}</p>
            </Nothing>
          ) : (
            <ul class="lines">
              {items.map((token) => (
                <Row key={token.name} token={token} changed={() => void again()} />
              ))}
            </ul>
          )
        }
      </Shown>
    </View>
  );
}
