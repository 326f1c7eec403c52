// The frame of a view in the middle: its name, one sentence about it, and what it holds.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Loaded } from "../state/loaded";
import { narrow } from "../state/narrow";
import { follow } from "../state/place";
import { words } from "../words";
import { Icon, type IconName } from "./Icon";
import { TroubleNote } from "./TroubleNote";

interface Props {
  title: string;
  lead?: ComponentChildren;
  back?: { href: string; name: string } | undefined;
  actions?: ComponentChildren;
  tabs?: ComponentChildren;
  children: ComponentChildren;
}

export function View({ title, lead, back, actions, tabs, children }: Props): JSX.Element {
  const scroll = useRef<HTMLDivElement>(null);
  useEffect(() => {
    scroll.current?.scrollTo(0, 0);
  }, [title]);
  return (
    <div class="view" ref={scroll} tabIndex={0} role="region" aria-label={title}>
      <div class="view-in">
        {back && (
          <a class="view-back" href={back.href} onClick={follow}>
            <Icon name="back" size={16} />
            {back.name}
          </a>
        )}
        <header class="view-head">
          <h2>{title}</h2>
          {actions && <div class="acts">{actions}</div>}
          {lead && !tabs && <p>{lead}</p>}
        </header>
        {tabs}
        {/* Below the tabs, which stay where they are when another is chosen. */}
        {lead && tabs && <p class="view-lead">{lead}</p>}
        {children}
      </div>
    </div>
  );
}

interface TabItem {
  href: string;
  name: string;
  current: boolean;
}

/** As many tabs fit beside each other on a phone. */
const FIT = 3;

export function ViewTabs({ label, items }: { label: string; items: TabItem[] }): JSX.Element {
  // An address that names none of them shows the first.
  const current = items.find((item) => item.current) ?? items[0];
  const links = items.map((item) => (
    <a key={item.href} href={item.href} onClick={follow} data-name={item.name} aria-current={item === current ? "page" : undefined}>
      {item.name}
    </a>
  ));
  if (!narrow.value || items.length <= FIT) {
    return (
      <nav class="view-tabs" aria-label={label}>
        {links}
      </nav>
    );
  }
  return (
    <nav aria-label={label}>
      {/* Folded again where it has led. */}
      <details class="tabs-fold" key={current?.href}>
        <summary>
          <span>{current?.name}</span>
          <Icon name="chevron" size={16} />
        </summary>
        <div>{links}</div>
      </details>
    </nav>
  );
}

export function Section({ title, note, actions, children, id }: { title: string; note?: ComponentChildren; actions?: ComponentChildren; children: ComponentChildren; id?: string }): JSX.Element {
  return (
    <section class="section" id={id}>
      <header>
        <h3>{title}</h3>
        {actions && <div class="acts">{actions}</div>}
        {note && <p>{note}</p>}
      </header>
      {children}
    </section>
  );
}

export function Nothing({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="nothing">
      <Icon name={icon} size={26} />
      <b>{title}</b>
      {children && <div>{children}</div>}
    </div>
  );
}

const WIDTHS = [62, 88, 74, 80, 56];

export const Bones = (): JSX.Element => (
  <div class="bones" role="status" aria-label={words().loading}>
    {WIDTHS.map((width) => (
      <span key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
);

/** What was read, or what stands in its place. */
export function Shown<T>({ now, again, children }: { now: Loaded<T>; again: () => void; children: (value: T) => ComponentChildren }): JSX.Element {
  if (now.state === "loading") return <Bones />;
  if (now.state === "failed") return <TroubleNote trouble={now.trouble} retry={again} />;
  return <>{children(now.value)}</>;
}
