import assert from "node:assert/strict";
import { test } from "node:test";
import { heldBack } from "../src/parts/heldBack";

const note = (...sentences: string[]) => ({ body: { op: "held_back", removed: sentences.map((sentence) => ({ sentence, category: "internals" })) } });
const shown = (...sentences: string[]) => heldBack(note(...sentences))?.map(({ sentence }) => sentence);

test("a fact that a sentence says already is not said twice", () => {
  assert.deepEqual(shown("We look for a factory in Berlin.", "place: Berlin"), ["We look for a factory in Berlin."]);
});

test("a fact of which nothing was said is shown by its value", () => {
  assert.deepEqual(shown("Keep it quiet.", "thing: the lamp", "project: the launch of the lamp", "role:Ann Lee: buyer"), ["Keep it quiet.", "the launch of the lamp", "buyer"]);
});

test("a sentence with a colon stays a sentence, and other messages are none", () => {
  assert.deepEqual(shown("Our limit: 40 EUR"), ["Our limit: 40 EUR"]);
  assert.equal(heldBack({ body: { op: "paused" } }), null);
});
