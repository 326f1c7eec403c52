// A text that somebody agrees to, as it is. The same as `prime.core.visible`.

// Line ends, tabs and joiners aside: what is no letter and no sign, and what is one to Unicode but not to the eye.
// Variation selectors and joiners make one sign of several, two of them side by side; more of them spell something.
const HIDDEN = /(?![ \n\t\u200c\u200d\u3000\ufe0e\ufe0f])[\p{C}\p{Z}\p{DI}\u2800]|(?<=[\u200c\u200d\ufe0e\ufe0f]{2})[\u200c\u200d\ufe0e\ufe0f]/gu;
const BLANKS = /[ \t\u3000]{40,}|(?:[ \t\u3000]{0,39}\n){4,}/g;

function number(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const [mark, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).padStart(digits as number, "0")}`;
}

function length(run: string): string {
  const lines = run.split("\n").length - 1;
  return lines ? ` ⏎×${lines}\n` : ` ␣×${run.length} `;
}

/** What does not show stands there by its number, long blanks by their length. */
export const visible = (text: string): string => text.replace(HIDDEN, number).replace(BLANKS, length);
