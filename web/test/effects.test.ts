import { test } from "node:test";
import assert from "node:assert/strict";
import { asked, onlyReads } from "../src/parts/effects";

const READS = { filesystem: { read: true, write: false, delete: false }, network: false, destructive: false };

test("what starts programs does not only read", () => {
  assert.equal(onlyReads({ ...READS, subprocess: false }), true);
  assert.equal(onlyReads({ ...READS, subprocess: true }), false);
});

test("what is asked about is told as what it may do", () => {
  assert.deepEqual(asked({ ...READS, subprocess: false }, ["launches_programs"]), { ...READS, subprocess: true });
  assert.equal(onlyReads(asked(READS, ["destructive"])), false);
  assert.deepEqual(asked(READS, ["effect_unknown", "constructor"]), READS);
});
