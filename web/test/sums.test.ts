import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR, hourly, sumsUpTo } from "../src/views/insight/sums";

test("a curve of what was settled in all ends where the figure above it stands", () => {
  assert.deepEqual(sumsUpTo(4, [0, 1, 0]), [3, 4, 4]);
  assert.deepEqual(sumsUpTo(1, [0, 1]), [0, 1]);
  assert.deepEqual(sumsUpTo(0, []), []);
});

test("what happened since the figure was counted makes no curve begin below nothing", () => {
  assert.deepEqual(sumsUpTo(1, [1, 1]), [1, 2]);
});

test("questions count for the hour that ends with a step", () => {
  assert.deepEqual(hourly([1, 0, 2], HOUR / 2), [1, 1, 2]);
  assert.deepEqual(hourly([4], 2 * HOUR), [2]);
});
