// What was said, on one line: for lists of what was said last.

/** How the log begins a draft for somebody elsewhere; the page says it in the reader's language. */
export const DRAFT_MARK = /^\[Draft, not sent\] /;

/** A piece of what was said, without its headings, stresses and fences. */
export const withoutMarks = (text: string): string =>
  text
    .replace(/(^|\s)#{1,6}\s+/g, "$1")
    .replace(/`+|\*{2,}/g, "")
    .replace(/(^|\s)\*(?=\S)|(\S)\*(?=[\s.,;:!?]|$)/g, "$1$2");

/** Without the marks of Markdown; `draft` stands before what was not sent yet. */
export function onOneLine(text: string, draft: string): string {
  return text
    .replace(DRAFT_MARK, `${draft}: `)
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+/gm, "")
    .replace(/[*_`#>~]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
