import { test } from "node:test";
import assert from "node:assert/strict";
import { onOneLine } from "../src/markdown/oneLine";

test("what was said last is one line without marks", () => {
  assert.equal(onOneLine("What is new:\n- Venue: **6,800 EUR**\n2. Press", "draft"), "What is new: Venue: 6,800 EUR Press");
  assert.equal(onOneLine("[Draft, not sent] Hi Mara", "draft"), "draft: Hi Mara");
  assert.equal(onOneLine("A self-made 3-day plan - as said", "draft"), "A self-made 3-day plan - as said");
});
