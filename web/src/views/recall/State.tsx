// How things stand, as a document per channel.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { brainApi } from "../../api/brain";
import { HUB } from "../../api/types";
import { Markdown } from "../../markdown/Markdown";
import { Choice } from "../../parts/Field";
import { SourceLink } from "../../parts/Tags";
import { Nothing, Shown, View } from "../../parts/View";
import { inOrder } from "../../state/channels";
import { searched, setSearch } from "../../state/place";
import { useRead } from "../../state/useRead";
import { words } from "../../words";
import { since } from "../../words/format";
import { RecallTabs } from "./tabs";

export function State(): JSX.Element {
  const t = words().recall;
  const [channelId, setChannelId] = useState(searched("channel") || HUB);
  const { now, again } = useRead(() => brainApi.state(channelId), channelId);
  const choose = (id: string): void => {
    setChannelId(id);
    setSearch({ channel: id === HUB ? "" : id });
  };
  return (
    <View title={t.title} lead={t.stateLead} tabs={<RecallTabs />}>
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
              <p class="meta">
                <span>{t.version(state.version)}</span>
                {state.ts && <span>{since(state.ts)}</span>}
                <SourceLink channelId={state.channelId} sources={state.sources}>
                  {words().seeMessages(state.sources.length)}
                </SourceLink>
              </p>
              <Markdown text={state.markdown} />
            </article>
          )
        }
      </Shown>
    </View>
  );
}
