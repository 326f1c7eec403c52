import type { JSX } from "preact";
import { ViewTabs } from "../../parts/View";
import { rest } from "../../state/place";
import { words } from "../../words/all";

export function ScriptTabs(): JSX.Element {
  const t = words().scripts;
  const at = rest.value[0] ?? "";
  return (
    <ViewTabs
      label={t.title}
      items={[
        { href: "/scripts", name: t.all, current: at === "" },
        { href: "/scripts/check", name: t.checker, current: at === "check" },
      ]}
    />
  );
}
