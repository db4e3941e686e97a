// What a tab keeps of the dialogs that it left.
import { test } from "node:test";
import assert from "node:assert/strict";
import { answerText } from "../measure/written.mjs";
import { switching } from "../measure/switching.mjs";
import { withWorld } from "./real.mjs";

test("a tab that showed an answer being written lets go of the dialogs that it leaves", () => withWorld({ replies: [{ text: answerText(4), chunk: 40 }] }, async (w) => {
  const { before, now } = await switching(w, 12);
  assert.ok(now.nodes < before.nodes + 3000, `${before.nodes} nodes before, ${now.nodes} now`);
  assert.ok(now.listeners < before.listeners + 300, `${before.listeners} listeners before, ${now.listeners} now`);
}));
