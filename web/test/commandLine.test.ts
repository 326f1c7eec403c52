import { test } from "node:test";
import assert from "node:assert/strict";
import { pairsOf, wordsOf } from "../src/views/tools/commandLine";

test("a command falls into the words that a program gets", () => {
  assert.deepEqual(wordsOf("npx -y @scope/server ."), ["npx", "-y", "@scope/server", "."]);
  assert.deepEqual(wordsOf(`run 'two words' "a \\"b\\" $HOME" c\\ d e'f'"g"`), ["run", "two words", 'a "b" $HOME', "c d", "efg"]);
  assert.deepEqual(wordsOf("say ''  x"), ["say", "", "x"]);
  assert.deepEqual(wordsOf("  "), []);
});

test("a quote that is open is no command yet", () => {
  assert.equal(wordsOf("run 'two"), null);
  assert.equal(wordsOf('run "two'), null);
  assert.equal(wordsOf("run \\"), null);
});

test("pairs are names and values", () => {
  assert.deepEqual(pairsOf("A=1\n\n B=x=y \n"), { A: "1", B: "x=y" });
  assert.deepEqual(pairsOf(""), {});
  assert.equal(pairsOf("A"), null);
  assert.equal(pairsOf("A="), null);
});
