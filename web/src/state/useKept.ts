// Words that are not sent yet, kept in this browser under a name until they are.
import { useState } from "preact/hooks";
import { kept } from "./kept";

export function useKept(name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => kept.read(name) ?? "");
  const write = (next: string): void => {
    setText(next);
    kept.write(name, next);
  };
  return [text, write];
}
