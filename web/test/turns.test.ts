import { beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import type { Message, Turn } from "../src/api/types";
import { hearTurn, hearWords, turns, turnsIn } from "../src/state/turns";

const turn = (more: Partial<Turn>): Turn => ({ channelId: "c", actorId: "ada", turnId: "turn_1", state: "thinking", text: "", ...more });
const message = (kind: string, text: string): Message => ({ id: "m", channelId: "c", actorId: "ada", kind, text, body: {}, ts: "" });
const shown = (): (string | undefined)[] => turnsIn("c").map(({ text }) => text);

/** A clock that stands until a test moves it. */
let now = 0;
let last = 0;
let timers = new Map<number, { at: number; run: () => void }>();
Object.assign(globalThis, {
  setTimeout: (run: () => void, ms: number) => {
    timers.set(++last, { at: now + ms, run });
    return last;
  },
  clearTimeout: (id: number) => timers.delete(id),
});

function pass(ms: number): void {
  now += ms;
  for (const [id, { at, run }] of timers) {
    if (at > now) continue;
    timers.delete(id);
    run();
  }
}

beforeEach(() => {
  turns.value = new Map();
  timers = new Map();
});

test("who has thought before anybody wonders was never shown", () => {
  hearTurn(turn({}));
  assert.deepEqual(shown(), []);
  hearTurn(turn({ state: "ended", done: true }));
  pass(20_000);
  assert.deepEqual(shown(), []);
});

test("who thinks for longer is shown, until the words are there", () => {
  const { turnId: _, ...nameless } = turn({});
  hearTurn(nameless);
  pass(200);
  hearTurn(nameless);
  assert.deepEqual(shown(), []);
  pass(100);
  assert.deepEqual(shown(), [""]);
  hearWords(message("text", "Nine euros."));
  assert.deepEqual(shown(), []);
});

test("what the log notes about a turn does not end it", () => {
  hearTurn(turn({}));
  pass(300);
  hearWords(message("system", ""));
  hearWords(message("tool_call", "ls"));
  assert.deepEqual(shown(), [""]);
});

test("a turn goes on for as long as Prime says so, and not much longer", () => {
  hearTurn(turn({}));
  pass(19_000);
  hearTurn(turn({}));
  pass(19_000);
  assert.equal(shown().length, 1);
  pass(2_000);
  assert.equal(shown().length, 0);
});

test("the last words stay until the log has them", () => {
  hearTurn(turn({ state: "speaking", text: "Nine euros." }));
  hearTurn(turn({ state: "ended", text: "Nine euros.", done: true }));
  assert.deepEqual(shown(), ["Nine euros."]);
  hearWords(message("text", "Nine euros."));
  assert.deepEqual(shown(), []);
});

test("words that never reach the log go by themselves", () => {
  hearTurn(turn({ state: "speaking", text: "Nine" }));
  hearTurn(turn({ state: "ended", text: "", done: true }));
  pass(2_000);
  assert.deepEqual(shown(), []);
});

test("words are shown once while their turn goes on with a tool", () => {
  hearTurn(turn({ state: "calling", text: "I look it up." }));
  hearWords(message("text", "I look it up."));
  assert.deepEqual(shown(), [""]);
  hearTurn(turn({ state: "calling", text: "I look it up." }));
  assert.deepEqual(shown(), [""]);
  hearTurn(turn({ state: "speaking", text: "It is nine." }));
  assert.deepEqual(shown(), ["It is nine."]);
});

test("a turn without a name ends with its words", () => {
  const { turnId: _, ...nameless } = turn({ text: "Hello" });
  hearTurn(nameless);
  hearWords(message("text", "Hello"));
  assert.deepEqual(shown(), []);
});
