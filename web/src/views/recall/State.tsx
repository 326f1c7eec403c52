// How things stand, as a document per channel.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { brainApi, type State as Summary } from "../../api/brain";
import { HUB } from "../../api/types";
import { Markdown } from "../../markdown/Markdown";
import { Choice } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { SourceLink } from "../../parts/Tags";
import { TroubleNote } from "../../parts/TroubleNote";
import { Nothing, Shown, View } from "../../parts/View";
import { announce } from "../../state/announce";
import { byId, inOrder } from "../../state/channels";
import { searched, setSearch } from "../../state/place";
import { useAct } from "../../state/useAct";
import { useRead } from "../../state/useRead";
import { words } from "../../words/all";
import { fullTime, since } from "../../words/format";
import { RecallTabs } from "./tabs";

/** Its title, version and sources stand above it already. */
const itself = (markdown: string): string => markdown.replace(/^# .*\n+(\*.*\*\n+)?/, "").replace(/\n## Sources\n(\n*- \[.*)*\s*$/, "");

function Versions({ state, newest, show }: { state: Summary; newest: boolean; show: (version: number | null) => void }): JSX.Element | null {
  const t = words().care;
  if (newest && state.version <= 1) return null;
  return (
    <p class="acts">
      {state.version > 1 && (
        <button type="button" class="quiet small" onClick={() => show(state.version - 1)}>
          {t.earlier}
        </button>
      )}
      {!newest && (
        <button type="button" class="quiet small" onClick={() => show(null)}>
          {t.later}
        </button>
      )}
    </p>
  );
}

export function State(): JSX.Element {
  const t = words().recall;
  const [channelId, setChannelId] = useState(searched("channel") || HUB);
  const [version, setVersion] = useState<number | null>(null);
  const { now, again, set } = useRead(() => brainApi.state(channelId, version), `${channelId} ${version}`);
  const { busy, trouble, act } = useAct();
  const sumUp = async (): Promise<void> => {
    setVersion(null);
    set(await brainApi.settle(channelId));
    announce(words().care.summedUp);
  };
  const choose = (id: string): void => {
    setChannelId(id);
    setVersion(null);
    setSearch({ channel: id === HUB ? "" : id });
  };
  return (
    <View
      title={t.title}
      lead={t.stateLead}
      tabs={<RecallTabs />}
      actions={
        <button type="button" disabled={busy} onClick={() => void act(sumUp)}>
          <Icon name="refresh" size={18} />
          {words().care.sumUp}
        </button>
      }
    >
      {trouble && <TroubleNote trouble={trouble} />}
      <div class="filters">
        <Choice label={t.whose} value={channelId} onValue={choose} options={inOrder.value.map((channel) => ({ value: channel.id, name: channel.id === HUB ? words().prime : channel.name }))} />
      </div>
      <Shown now={now} again={() => void again()}>
        {(state) =>
          state.version === 0 ? (
            <Nothing icon="file" title={t.noState}>
              <p>{t.noStateHint}</p>
            </Nothing>
          ) : (
            <article class="document">
              <h3>{channelId === HUB ? words().prime : byId.value.get(channelId)?.name}</h3>
              <p class="meta">
                <span>{t.version(state.version)}</span>
                {state.ts && (
                  <time dateTime={state.ts} title={fullTime(state.ts)}>
                    {since(state.ts)}
                  </time>
                )}
                <SourceLink channelId={state.channelId} sources={state.sources}>
                  {words().seeMessages(state.sources.length)}
                </SourceLink>
              </p>
              <Markdown text={itself(state.markdown)} />
              <Versions state={state} newest={version === null} show={setVersion} />
            </article>
          )
        }
      </Shown>
    </View>
  );
}
