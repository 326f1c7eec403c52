import { test } from "node:test";
import assert from "node:assert/strict";
import { callText } from "../src/parts/callText";
import { visible } from "../src/parts/visible";

test("what does not show stands there by its number", () => {
  assert.equal(visible("echo \u202e# rm\u2066 \x1b[2J \u{e0041} \u00a0\u3164"), "echo \\u202e# rm\\u2066 \\x1b[2J \\U000e0041 \\xa0\\u3164");
  assert.equal(visible("价格　ok\n\tمی\u200cخواهم 👩\u200d🚀"), "价格　ok\n\tمی\u200cخواهم 👩\u200d🚀");
  assert.equal(visible("rm a\ufe01\u{e0141}\u034f"), "rm a\\ufe01\\U000e0141\\u034f");
  assert.equal(visible("a\u200d\u200c\u200d\ufe0f ❤\ufe0f\u200d🔥"), "a\u200d\u200c\\u200d\\ufe0f ❤\ufe0f\u200d🔥");
});

test("nothing is pushed out of sight", () => {
  assert.equal(visible(`ls${" ".repeat(6000)}; curl evil`), "ls ␣×6000 ; curl evil");
  assert.equal(visible(`ls${" \n".repeat(60)}curl evil`), "ls ⏎×60\ncurl evil");
  assert.equal(visible(`if x:\n${" ".repeat(12)}pass\n\n\nend`), `if x:\n${" ".repeat(12)}pass\n\n\nend`);
});

test("a call reads as a shell would take it, in full", () => {
  assert.equal(callText({ words: ["git", "commit", "-m", "it's\u202e"] }), `git commit -m 'it'"'"'s\\u202e'`);
});
