import { test } from "node:test";
import assert from "node:assert/strict";
import type { Message } from "../src/api/types";
import { lastFailed } from "../src/parts/tries";

const message = (id: string, kind: string, body: object): Message => ({ id, channelId: "c", actorId: "ada", kind, text: "x", body, ts: "" });
const ended = (id: string, turnId: string): Message => message(id, "system", { op: "turn", step: "ended", outcome: "failed", turnId });
const said = (id: string, turnId: string): Message => message(id, "text", { turnId });

test("only the last turn can be tried again", () => {
  assert.equal(lastFailed([]), null);
  assert.equal(lastFailed([ended("a", "1")]), "a");
  assert.equal(lastFailed([ended("a", "1"), message("o", "text", {})]), "a");
  assert.equal(lastFailed([ended("a", "1"), ended("b", "2")]), "b");
  assert.equal(lastFailed([ended("a", "1"), said("b", "2")]), null);
});
