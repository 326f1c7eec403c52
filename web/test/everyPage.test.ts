import assert from "node:assert/strict";
import { test } from "node:test";
import { everyPage } from "../src/api/everyPage";

test("a list of ten thousand is read whole", async () => {
  const read = async (cursor?: string | null) => {
    const at = Number(cursor ?? 0);
    return { items: Array.from({ length: 200 }, (_, place) => at + place), nextCursor: at + 200 < 10_000 ? String(at + 200) : null };
  };
  assert.equal(new Set(await everyPage(read)).size, 10_000);
});

test("a place that comes again ends it", async () => {
  let asked = 0;
  const read = async () => ({ items: [asked++], nextCursor: "here" });
  assert.deepEqual(await everyPage(read), [0, 1]);
});
