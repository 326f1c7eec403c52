// A server of the owner's choosing: a program or an address. What exactly will run is seen before it is added, and it starts
// only after a yes to it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { mcpApi, type NewServer, type Server } from "../../api/mcp";
import { Field, LongField } from "../../parts/Field";
import { Segments } from "../../parts/Segments";
import { TroubleNote } from "../../parts/TroubleNote";
import { useAct } from "../../state/useAct";
import { words } from "../../words/all";
import { pairsOf, wordsOf } from "./commandLine";

const KINDS = ["program", "address"] as const;
type Kind = (typeof KINDS)[number];

interface Written {
  kind: Kind;
  name: string;
  line: string;
  url: string;
  given: string;
}

const EMPTY: Written = { kind: "program", name: "", line: "", url: "", given: "" };

/** What is asked for, as far as it can be. */
function wantedOf({ kind, name, line, url, given }: Written): NewServer | null {
  const pairs = pairsOf(given);
  if (!name.trim() || !pairs) return null;
  if (kind === "address") return /^https?:\/\/./.test(url.trim()) ? { name: name.trim(), url: url.trim(), headers: pairs } : null;
  const [command, ...args] = wordsOf(line) ?? [];
  return command ? { name: name.trim(), command, args, env: pairs } : null;
}

/** The words apart, as the program gets them. */
function Words({ line }: { line: string }): JSX.Element | null {
  const t = words().mcp;
  const found = wordsOf(line);
  if (!line.trim()) return null;
  if (!found) return <p class="would refused">{t.quoteOpen}</p>;
  return (
    <div class="would">
      <p class="soft">{t.willRun}</p>
      <p class="badges argv">
        {found.map((word, index) => (
          <code key={index} class="badge plain">
            {word || "\u00a0"}
          </code>
        ))}
      </p>
    </div>
  );
}

export function AddServer({ added, done }: { added: (server: Server) => void; done: () => void }): JSX.Element {
  const t = words().mcp;
  const [written, setWritten] = useState(EMPTY);
  const { busy, trouble, act, forget } = useAct();
  const write = (part: Partial<Written>): void => {
    setWritten({ ...written, ...part });
    forget();
  };
  const { kind } = written;
  const wanted = wantedOf(written);
  const exists = trouble?.code === "already_exists";
  const submit = (event: Event): void => {
    event.preventDefault();
    if (wanted) void act(async () => added(await mcpApi.add({ ...wanted, replace: exists })));
  };
  return (
    <form class="form panel" noValidate onSubmit={submit} aria-label={t.add}>
      <Segments label={t.what} values={KINDS} value={kind} name={(each) => t.kind[each]} choose={(next) => write({ kind: next })} />
      <Field label={t.serverName} hint={t.serverNameHint} autofocus value={written.name} onValue={(name) => write({ name })} placeholder="files" mono />
      {kind === "program" ? (
        <>
          <Field label={t.command} hint={t.commandHint} value={written.line} onValue={(line) => write({ line })} placeholder="npx -y @modelcontextprotocol/server-filesystem ." mono />
          <Words line={written.line} />
        </>
      ) : (
        <Field label={t.url} type="url" value={written.url} onValue={(url) => write({ url })} placeholder="https://mcp.example.com/mcp" mono />
      )}
      <details class="note-fold">
        <summary>{t.given[kind]}</summary>
        <div class="form">
          <LongField
            label={t.given[kind]}
            hint={t.givenHint}
            bad={pairsOf(written.given) ? null : t.givenBad}
            rows={2}
            mono
            placeholder={kind === "program" ? "GITHUB_TOKEN=${GITHUB_TOKEN}" : "Authorization=Bearer ${TRACKER_TOKEN}"}
            value={written.given}
            onValue={(given) => write({ given })}
          />
        </div>
      </details>
      {exists ? (
        <p class="note warn" role="alert">
          {t.exists(written.name.trim())}
        </p>
      ) : (
        trouble && <TroubleNote trouble={trouble} />
      )}
      <p class="soft">{t.addNote}</p>
      <div class="acts">
        <button type="submit" class={exists ? "danger" : "go"} disabled={busy || !wanted}>
          {exists ? t.replace : t.add}
        </button>
        <button type="button" class="quiet" onClick={done}>
          {words().cancel}
        </button>
      </div>
    </form>
  );
}
