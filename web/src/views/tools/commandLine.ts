// A command as people copy it from a guide, as the words that a program is started with. There is no shell: only quotes and
// backslashes mean something, and nothing is put in for `*` or `$`.

const PIECE = /\\(?<kept>.)|'(?<single>[^']*)'|"(?<double>(?:\\.|[^"\\])*)"|(?<space>\s+)|(?<plain>[^\s'"\\]+)|(?<open>.)/gsu;

/** Its words; null while a quote is open. */
export function wordsOf(line: string): string[] | null {
  const found: string[] = [];
  let word: string | null = null;
  for (const { groups = {} } of line.trim().matchAll(PIECE)) {
    if (groups["open"] !== undefined) return null;
    if (groups["space"] !== undefined) {
      if (word !== null) found.push(word);
      word = null;
      continue;
    }
    const piece = groups["kept"] ?? groups["single"] ?? groups["plain"] ?? groups["double"]?.replace(/\\(["\\$`])/g, "$1") ?? "";
    word = (word ?? "") + piece;
  }
  return word === null ? found : [...found, word];
}

/** `NAME=VALUE`, one to a line; null when a line is none. */
export function pairsOf(text: string): Record<string, string> | null {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const pairs = lines.map((line) => /^([^=\s]+)=(.+)$/.exec(line));
  if (pairs.some((pair) => !pair)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]));
}
