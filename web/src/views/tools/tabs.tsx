import type { JSX } from "preact";
import { ViewTabs } from "../../parts/View";
import { rest } from "../../state/place";
import { words } from "../../words/all";

export function ToolTabs(): JSX.Element {
  const t = words().tools;
  const at = rest.value[0] ?? "";
  return (
    <ViewTabs
      label={t.title}
      items={[
        { href: "/tools", name: t.catalog, current: at === "" },
        { href: "/tools/policy", name: words().policy.tab, current: at === "policy" },
        { href: "/tools/approved", name: t.approved, current: at === "approved" },
        { href: "/tools/servers", name: t.servers, current: at === "servers" },
        { href: "/tools/clients", name: t.tokens, current: at === "clients" },
      ]}
    />
  );
}
