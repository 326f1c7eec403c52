// The brain: what was said, found as you type.
import type { JSX } from "preact";
import { rest } from "../state/place";
import { Search } from "./recall/Search";

export default function Recall(): JSX.Element {
  void rest.value;
  return <Search />;
}
