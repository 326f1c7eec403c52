// Settings, a section to an address.
import type { ComponentType, JSX } from "preact";
import { View, ViewTabs } from "../parts/View";
import { rest } from "../state/place";
import { words } from "../words/all";
import { Account } from "./settings/Account";
import { Autonomy } from "./settings/Autonomy";
import { Backups } from "./settings/Backups";
import { Connectors } from "./settings/Connectors";
import { Model } from "./settings/Model";
import { People } from "./settings/People";
import { Push } from "./settings/Push";
import { Secrets } from "./settings/Secrets";
import { Variables } from "./settings/Variables";
import { Yours } from "./settings/Yours";

const SECTIONS: Record<string, ComponentType> = {
  "": Yours,
  model: Model,
  account: Account,
  people: People,
  autonomy: Autonomy,
  connectors: Connectors,
  push: Push,
  secrets: Secrets,
  backups: Backups,
  variables: Variables,
};

export default function Settings(): JSX.Element {
  const t = words().settings;
  const at = rest.value[0] ?? "";
  const Open = SECTIONS[at] ?? Yours;
  const tabs = Object.keys(SECTIONS).map((name) => ({
    href: name ? `/settings/${name}` : "/settings",
    name: t.section[name as keyof typeof t.section],
    current: SECTIONS[at] ? name === at : name === "",
  }));
  return (
    <View title={t.title} tabs={<ViewTabs label={t.title} items={tabs} />}>
      <Open key={at} />
    </View>
  );
}
