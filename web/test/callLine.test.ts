import { test } from "node:test";
import assert from "node:assert/strict";
import { asLine, callText } from "../src/parts/callLine";

test("words are told apart, and what does not show is named", () => {
  assert.equal(asLine(["mkdir", "made here", "it's"]), "mkdir 'made here' 'it'\\''s'");
  assert.equal(asLine(["mkdir", "in\u202egnp.exe", "a\u200bb"]), "mkdir 'in‹U+202E›gnp.exe' 'a‹U+200B›b'");
  assert.equal(asLine(["echo", "👩\u200d🚀\n2"]), "echo '👩\u200d🚀\n2'");
  assert.equal(callText({ argv: ["npx", "\u2066x"] }), "npx '‹U+2066›x'");
  assert.equal(callText({ tool: "a\u202eb" }).includes('"a‹U+202E›b"'), true);
});
