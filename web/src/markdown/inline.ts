// Reads the marks inside a line: code, emphasis, links. Linear in the text: what has no end is looked for once, and marks
// inside marks go only so deep, so that no message can hold up the page.

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "em" | "del"; inside: Inline[] }
  | { kind: "link"; href: string; inside: Inline[] }
  | { kind: "break" };

const DEEPEST = 6;
const LONGEST_ADDRESS = 2_048;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}_]/u;
const ADDRESS = /https?:\/\/[^\s<>"'`，。；：！？、（）《》「」]{1,2048}/y;

/** Only addresses that open a page or a mail; anything else stays text. */
export function safeAddress(raw: string): string | null {
  if (raw.length > LONGEST_ADDRESS) return null;
  try {
    const url = new URL(raw);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** A message of this Prime, as its own texts name their sources. Nothing else of this page can be linked to by a text. */
const MESSAGE_HERE = /^\/c\/[\w-]{1,80}(\/[\w-]{1,80})?$/;

/** Whether a link leads to a message here, and not to a page elsewhere. */
export const leadsHere = (href: string): boolean => MESSAGE_HERE.test(href);

class Reader {
  private readonly out: Inline[] = [];
  private plain = "";
  private at = 0;
  /** Where each closing mark was last found, and from where it was looked for. */
  private readonly found = new Map<string, { from: number; at: number }>();

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  read(): Inline[] {
    while (this.at < this.text.length) {
      if (!this.special(this.text[this.at]!)) this.plain += this.text[this.at++]!;
    }
    this.flush();
    return this.out;
  }

  private flush(): void {
    if (this.plain) this.out.push({ kind: "text", text: this.plain });
    this.plain = "";
  }

  private put(piece: Inline, end: number): true {
    this.flush();
    this.out.push(piece);
    this.at = end;
    return true;
  }

  private special(char: string): boolean {
    switch (char) {
      case "\n":
        return this.put({ kind: "break" }, this.at + 1);
      case "\\":
        return this.escape();
      case "`":
        return this.code();
      case "*":
      case "_":
        return this.emphasis(char + char, "strong") || this.emphasis(char, "em");
      case "~":
        return this.emphasis("~~", "del");
      case "!":
      case "[":
        return this.link();
      case "h":
        return this.address();
      default:
        return false;
    }
  }

  /** The next place of a mark, or Infinity. */
  private find(mark: string, from: number): number {
    const last = this.found.get(mark);
    if (last && last.from <= from && from <= last.at) return last.at;
    const at = this.text.indexOf(mark, from);
    this.found.set(mark, { from, at: at < 0 ? Infinity : at });
    return at < 0 ? Infinity : at;
  }

  private escape(): boolean {
    const next = this.text[this.at + 1];
    if (next === undefined || !ESCAPABLE.test(next)) return false;
    this.plain += next;
    this.at += 2;
    return true;
  }

  private code(): boolean {
    let width = 1;
    while (this.text[this.at + width] === "`") width++;
    const mark = "`".repeat(Math.min(width, 8));
    const start = this.at + width;
    const end = this.find(mark, start);
    if (end === Infinity) {
      this.plain += this.text.slice(this.at, start);
      this.at = start;
      return true;
    }
    const inner = this.text.slice(start, end).replace(/\n/g, " ");
    const padded = inner.startsWith(" ") && inner.endsWith(" ") && inner.trim() !== "";
    return this.put({ kind: "code", text: padded ? inner.slice(1, -1) : inner }, end + mark.length);
  }

  private emphasis(mark: string, kind: "strong" | "em" | "del"): boolean {
    if (this.depth >= DEEPEST || !this.text.startsWith(mark, this.at)) return false;
    const start = this.at + mark.length;
    const first = this.text[start];
    if (first === undefined || /\s/.test(first) || first === mark[0]) return false;
    if (mark[0] === "_" && this.at > 0 && WORD.test(this.text[this.at - 1]!)) return false;
    const end = this.closing(mark, start + 1);
    if (end < 0) return false;
    return this.put({ kind, inside: readInline(this.text.slice(start, end), this.depth + 1) }, end + mark.length);
  }

  private closing(mark: string, from: number): number {
    for (let tries = 0, end = this.find(mark, from); end !== Infinity && tries < 50; tries++, end = this.find(mark, end + 1)) {
      // A single mark does not end in the middle of a double one.
      if (mark.length === 1 && this.text[end + 1] === mark) {
        end += 1;
        continue;
      }
      const after = this.text[end + mark.length];
      const insideWord = mark[0] === "_" && after !== undefined && WORD.test(after);
      if (!/\s/.test(this.text[end - 1]!) && !insideWord) return end;
    }
    return -1;
  }

  private link(): boolean {
    // Pictures would be requests to strangers: they become links too.
    const open = this.text[this.at] === "!" ? this.at + 1 : this.at;
    if (this.text[open] !== "[" || this.depth >= DEEPEST) return false;
    const close = this.find("]", open + 1);
    if (close === Infinity || this.text[close + 1] !== "(") return false;
    const end = this.addressEnd(close + 2);
    if (end < 0) return false;
    const raw = this.text.slice(close + 2, end).trim().split(/\s/, 1)[0]!;
    const href = leadsHere(raw) ? raw : safeAddress(raw);
    const label = this.text.slice(open + 1, close);
    if (!href) return false;
    const inside: Inline[] = label ? readInline(label, DEEPEST) : [{ kind: "text", text: href }];
    return this.put({ kind: "link", href, inside }, end + 1);
  }

  private addressEnd(from: number): number {
    const limit = Math.min(this.text.length, from + LONGEST_ADDRESS);
    for (let at = from, depth = 0; at < limit; at++) {
      const char = this.text[at];
      if (char === "\n") return -1;
      if (char === "(") depth++;
      if (char === ")" && depth-- === 0) return at;
    }
    return -1;
  }

  private address(): boolean {
    if (this.at > 0 && WORD.test(this.text[this.at - 1]!)) return false;
    ADDRESS.lastIndex = this.at;
    const found = ADDRESS.exec(this.text)?.[0]?.replace(/[.,;:!?)\]}*_~]+$/, "");
    const href = found ? safeAddress(found) : null;
    if (!found || !href) return false;
    return this.put({ kind: "link", href, inside: [{ kind: "text", text: found }] }, this.at + found.length);
  }
}

export const readInline = (text: string, depth = 0): Inline[] => new Reader(text, depth).read();
