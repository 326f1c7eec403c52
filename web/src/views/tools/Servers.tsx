// MCP servers behind Prime: how each is doing, what it brings, and what the owner has to look at first.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { mcpApi, type Server } from "../../api/mcp";
import { Icon } from "../../parts/Icon";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Shown, View } from "../../parts/View";
import { ready } from "../../state/loaded";
import { follow } from "../../state/place";
import { useServerNews } from "../../state/servers";
import { link } from "../../state/status";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { inWords } from "../../words/said";
import { AddServer } from "./AddServer";
import { toolPath } from "./Catalog";
import { ToolTabs } from "./tabs";

/** Asked once more, because its tools go with it. */
function Remove({ name, removed }: { name: string; removed: () => void }): JSX.Element {
  const t = words().mcp;
  const [asking, setAsking] = useState(false);
  const { busy, trouble, act } = useAct();
  if (!asking) {
    return (
      <button type="button" class="quiet small" aria-label={t.removeNamed(name)} onClick={() => setAsking(true)}>
        {t.remove}
      </button>
    );
  }
  return (
    <span class="acts" role="group" aria-label={t.removeNamed(name)}>
      <span class="soft">{t.removeSure}</span>
      <button type="button" class="danger small" disabled={busy} onClick={() => void act(() => mcpApi.remove(name)).then((ok) => ok && removed())}>
        {t.remove}
      </button>
      <button type="button" class="quiet small" onClick={() => setAsking(false)}>
        {words().cancel}
      </button>
      {trouble && <TroubleNote trouble={trouble} />}
    </span>
  );
}

function Card({ server, set, removed }: { server: Server; set: (server: Server) => void; removed: () => void }): JSX.Element {
  const t = words().mcp;
  const { busy, trouble, act } = useAct();
  const good = server.state === "open" || server.state === "ready";
  return (
    <li class="panel">
      <div class="panel-head">
        <h4>{server.name}</h4>
        <span class={`badge ${good ? "safe" : server.problem ? "bad" : "plain"}`} role="status">
          {t.state(server.state === "starting" && server.opened > 0 ? "waiting" : server.state)}
        </span>
        <span class="badge plain">{server.transport}</span>
      </div>
      <p class="soft mono break">{server.line}</p>
      <p class="soft">
        {server.info} {t.fromFile(server.file)} {server.opened > 1 && t.startedAgain(server.opened - 1)}
      </p>
      {server.problem && <p class="would refused">{inWords(server.problem)}</p>}
      {server.tools.length > 0 && (
        <p class="badges">
          {server.tools.slice(0, 12).map((name) => (
            <a key={name} class="badge plain" href={toolPath(name)} onClick={follow}>
              {name}
            </a>
          ))}
          {server.tools.length > 12 && <span class="badge plain">+{server.tools.length - 12}</span>}
        </p>
      )}
      {server.held.length > 0 && <p class="note warn">{t.held(server.held.join(", "))}</p>}
      {trouble && <TroubleNote trouble={trouble} />}
      <p class="acts">
        <button type="button" class="small" disabled={busy} onClick={() => void act(async () => set(await mcpApi.test(server.name)))}>
          {busy ? t.testing : t.test}
        </button>
        {(server.held.length > 0 || /approv|accept|look|held/.test(server.state)) && (
          <button type="button" class="small go" disabled={busy} onClick={() => void act(async () => set(await mcpApi.accept(server.name)))}>
            {t.accept}
          </button>
        )}
        <Remove name={server.name} removed={removed} />
      </p>
    </li>
  );
}

export function Servers(): JSX.Element {
  const t = words().mcp;
  // After a gap in the stream, what is shown is read again.
  const { now, again, set } = useRead(() => mcpApi.servers(), `servers ${link.value === "lost"}`);
  // Several can change before the view is drawn again: each change builds on the one before it.
  const shown = useRef(now);
  shown.current = now;
  useServerNews((changed) => {
    if (shown.current.state !== "ready") return;
    const { items, problems } = shown.current.value;
    if (!items.some(({ name }) => name === changed.name)) return void again();
    const found = { problems, items: items.map((each) => (each.name === changed.name ? changed : each)) };
    shown.current = ready(found);
    set(found);
  });
  const [adding, setAdding] = useState(false);
  const offer = !adding && (
    <button type="button" class="go" onClick={() => setAdding(true)}>
      <Icon name="plus" size={18} />
      {t.add}
    </button>
  );
  const added = (): void => {
    setAdding(false);
    void again();
  };
  const some = now.state === "ready" && now.value.items.length > 0;
  return (
    <View title={words().tools.title} lead={t.serversLead} tabs={<ToolTabs />} actions={some && offer}>
      {adding && <AddServer added={added} done={() => setAdding(false)} />}
      <Shown now={now} again={() => void again()}>
        {(found) => (
          <>
            {found.problems.map((problem) => (
              <p key={problem} class="note warn">
                {inWords(problem)}
              </p>
            ))}
            {found.items.length === 0 ? (
              !adding && (
                <Nothing icon="network" title={t.noServers}>
                  <p>{t.noServersHint}</p>
                  {offer}
                </Nothing>
              )
            ) : (
              <ul class="panels">
                {found.items.map((server) => (
                  <Card key={server.name} server={server} removed={() => void again()} set={(changed) => set({ ...found, items: found.items.map((each) => (each.name === changed.name ? changed : each)) })} />
                ))}
              </ul>
            )}
          </>
        )}
      </Shown>
    </View>
  );
}
