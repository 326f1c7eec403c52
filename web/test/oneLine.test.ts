import { test } from "node:test";
import assert from "node:assert/strict";
import { onOneLine, withoutMarks } from "../src/markdown/oneLine";

test("what was said last is one line without marks", () => {
  assert.equal(onOneLine("What is new:\n- Venue: **6,800 EUR**\n2. Press", "draft"), "What is new: Venue: 6,800 EUR Press");
  assert.equal(onOneLine("[Draft, not sent] Hi Mara", "draft"), "draft: Hi Mara");
  assert.equal(onOneLine("A self-made 3-day plan - as said", "draft"), "A self-made 3-day plan - as said");
});

test("a piece of what was found bears no marks", () => {
  assert.equal(withoutMarks("## Plan Here is **what I found**: the *plan*, with `code` and ```py x ```"), "Plan Here is what I found: the plan, with code and py x ");
  assert.equal(withoutMarks("3 * 4 = 12 and a*b"), "3 * 4 = 12 and a*b");
});
