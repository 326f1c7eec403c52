// The brain: what was said, what is so, how things stand.
import type { JSX } from "preact";
import { rest } from "../state/place";
import { Facts } from "./recall/Facts";
import { Search } from "./recall/Search";
import { State } from "./recall/State";

export default function Recall(): JSX.Element {
  const [first] = rest.value;
  if (first === "facts") return <Facts />;
  if (first === "state") return <State />;
  return <Search />;
}
