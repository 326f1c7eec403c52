// Reads the shape of a message: paragraphs, headings, lists, quotes, code, tables, rules.

export type Block =
  | { kind: "paragraph"; text: string }
  | { kind: "heading"; level: number; text: string }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; inside: Block[] }
  | { kind: "list"; start: number | null; items: Item[] }
  | { kind: "table"; head: string[]; rows: string[][] }
  | { kind: "rule" };

export interface Item {
  done: boolean | null;
  inside: Block[];
}

const DEEPEST = 6;
const WIDEST_TABLE = 40;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})\s(.*)$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;
const TASK = /^\[([ xX])\]\s+/;
const TABLE_LINE = /^ {0,3}\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?\s*)?$/;

const blank = (line: string | undefined): boolean => line === undefined || line.trim() === "";

function withoutClosingMarks(heading: string): string {
  const text = heading.trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return end === 0 || text[end - 1] === " " ? text.slice(0, end).trimEnd() : text;
}

function cells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/(^|[^\\])\|$/, "$1");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));
}

class Reader {
  private readonly out: Block[] = [];
  private at = 0;

  constructor(
    private readonly lines: string[],
    private readonly depth: number,
  ) {}

  read(): Block[] {
    while (this.at < this.lines.length) {
      const line = this.lines[this.at]!;
      if (blank(line)) this.at++;
      else if (!this.structure(line)) this.paragraph();
    }
    return this.out;
  }

  private structure(line: string): boolean {
    return this.fence(line) || this.heading(line) || this.rule(line) || this.quote(line) || this.list(line) || this.table(line);
  }

  private fence(line: string): boolean {
    const open = FENCE.exec(line);
    if (!open) return false;
    const mark = open[1]!;
    const closes = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`);
    let end = this.at + 1;
    while (end < this.lines.length && !closes.test(this.lines[end]!)) end++;
    this.out.push({ kind: "code", language: open[2]!.trim().split(/\s/, 1)[0]!, text: this.lines.slice(this.at + 1, end).join("\n") });
    this.at = end + 1;
    return true;
  }

  private heading(line: string): boolean {
    const found = HEADING.exec(line);
    if (!found) return false;
    this.out.push({ kind: "heading", level: found[1]!.length, text: withoutClosingMarks(found[2]!) });
    this.at++;
    return true;
  }

  private rule(line: string): boolean {
    if (!RULE.test(line)) return false;
    this.out.push({ kind: "rule" });
    this.at++;
    return true;
  }

  private quote(line: string): boolean {
    if (this.depth >= DEEPEST || !QUOTE.test(line)) return false;
    const inner: string[] = [];
    while (this.at < this.lines.length && QUOTE.test(this.lines[this.at]!)) inner.push(this.lines[this.at++]!.replace(QUOTE, ""));
    this.out.push({ kind: "quote", inside: readBlocks(inner, this.depth + 1) });
    return true;
  }

  private list(line: string): boolean {
    const first = ITEM.exec(line);
    if (this.depth >= DEEPEST || !first) return false;
    const ordered = /\d/.test(first[2]!);
    const sameList = (text: string): RegExpExecArray | null => {
      const found = RULE.test(text) ? null : ITEM.exec(text);
      return found && /\d/.test(found[2]!) === ordered ? found : null;
    };
    const items: Item[] = [];
    for (let found = sameList(this.lines[this.at]!); found; found = this.at < this.lines.length ? sameList(this.lines[this.at]!) : null) {
      items.push(this.item(found[0].length));
    }
    if (!items.length) return false;
    this.out.push({ kind: "list", start: ordered ? Number.parseInt(first[2]!, 10) : null, items });
    return true;
  }

  private item(indent: number): Item {
    const inner = [this.lines[this.at++]!.slice(indent)];
    while (this.at < this.lines.length) {
      const line = this.lines[this.at]!;
      const inside = line.startsWith("  ") && line.trim() !== "";
      const goesOn = blank(line) ? this.lines[this.at + 1]?.startsWith("  ") : inside || (!ITEM.test(line) && !this.begins(line));
      if (!goesOn) break;
      inner.push(inside ? line.replace(new RegExp(`^ {1,${Math.max(indent, 2)}}`), "") : line);
      this.at++;
    }
    while (blank(this.lines[this.at]) && this.at < this.lines.length && ITEM.test(this.lines[this.at + 1] ?? "")) this.at++;
    const task = TASK.exec(inner[0]!);
    if (task) inner[0] = inner[0]!.slice(task[0].length);
    return { done: task ? task[1] !== " " : null, inside: readBlocks(inner, this.depth + 1) };
  }

  private table(line: string): boolean {
    const under = this.lines[this.at + 1];
    if (!line.includes("|") || under === undefined || under.length > 2_000 || !TABLE_LINE.test(under)) return false;
    const head = cells(line);
    if (head.length > WIDEST_TABLE) return false;
    const rows: string[][] = [];
    this.at += 2;
    while (this.at < this.lines.length && !blank(this.lines[this.at]) && this.lines[this.at]!.includes("|")) {
      const row = cells(this.lines[this.at++]!);
      rows.push(head.map((_, column) => row[column] ?? ""));
    }
    this.out.push({ kind: "table", head, rows });
    return true;
  }

  private begins(line: string): boolean {
    return blank(line) || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line);
  }

  private paragraph(): void {
    const lines = [this.lines[this.at++]!.trimStart()];
    while (this.at < this.lines.length && !this.begins(this.lines[this.at]!) && !ITEM.test(this.lines[this.at]!)) {
      lines.push(this.lines[this.at++]!.trim());
    }
    this.out.push({ kind: "paragraph", text: lines.join("\n").trimEnd() });
  }
}

export const readBlocks = (lines: string[], depth = 0): Block[] => new Reader(lines, depth).read();
