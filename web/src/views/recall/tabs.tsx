import type { JSX } from "preact";
import { ViewTabs } from "../../parts/View";
import { rest } from "../../state/place";
import { words } from "../../words/all";

export function RecallTabs(): JSX.Element {
  const t = words().recall;
  const at = rest.value[0] ?? "";
  return (
    <ViewTabs
      label={t.title}
      items={[
        { href: "/recall", name: t.search, current: at === "" },
        { href: "/recall/facts", name: t.facts, current: at === "facts" },
        { href: "/recall/state", name: t.state, current: at === "state" },
      ]}
    />
  );
}
