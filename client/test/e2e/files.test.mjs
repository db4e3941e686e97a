// Pictures that are pasted, from the clipboard to the model, in the real program.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dialog, project, say, sees, shot, text, until, withWorld } from "./real.mjs";
import { png } from "../png.mjs";

const LAMP = png(60, 40);

const paste = (field, name, bytes) => field.evaluate((el, [name, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
  el.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}, [name, [...bytes]]);

test("a picture that is pasted into a doc is in the project, and one in a message is what the model sees", () => withWorld({ replies: [{ text: "A lamp." }, { text: "Notes." }] }, async ({ world, page }) => {
  await project(page, "p");
  await page.goto(`http://${world.addr}/#/project/p/docs/doc-main.md`);
  const box = page.getByRole("textbox", { name: /^Text of/ });
  await sees(box);
  await box.press("Control+End");
  await paste(box, "Küche (1).png", LAMP);
  const shown = box.getByRole("img", { name: "Küche (1).png" });
  await until(() => shown.evaluate((i) => i.naturalWidth === 60));
  await page.keyboard.press("Control+s");
  const [file] = await until(() => world.there("p", "files") && world.names("p", "files"));
  assert.match(file, /^[0-9a-f]{16}-Küche \(1\)\.png$/);
  assert.ok(readFileSync(world.path("p", "files", file)).equals(LAMP));
  await until(() => world.read("p", "doc-main.md").includes(`![Küche (1).png](files/${file.replace("Küche (1)", "Küche%20%281%29")})`));
  const given = await world.ask("GET", "/project/p/file/doc-main.md/page");
  assert.ok(given.includes(`data:image/png;base64,${LAMP.toString("base64")}`), "the page to give away has it");

  await dialog(page, "look", "claude");
  const message = page.getByRole("textbox", { name: "Message" });
  await paste(message, "Küche (1).png", LAMP);
  await sees(page.getByRole("button", { name: "Remove Küche (1).png" }));
  await page.reload();
  await sees(page.getByRole("button", { name: "Remove Küche (1).png" }));
  await say(page, "What is this?");
  await sees(text(page).getByText("A lamp.", { exact: true }));
  assert.equal(world.names("p", "files").length, 1, "the same bytes are there once");
  const sent = JSON.stringify((await world.bodies()).at(-1).body ?? (await world.bodies()).at(-1));
  assert.ok(sent.includes(LAMP.toString("base64")), "the picture was sent");
  assert.ok(sent.includes("What is this?"));
  const name = world.names("p").find((n) => n.startsWith("dialog-"));
  assert.match(world.read("p", name), /> Pictures: files\/[0-9a-f]{16}-Küche%20\(1\)\.png sha256:[0-9a-f]{64} sent/);
  const mine = page.getByRole("article", { name: /^You/ });
  const small = mine.getByRole("button", { name: "Küche (1).png" });
  await until(() => small.getByRole("img").evaluate((i) => i.naturalWidth === 60));
  await shot(page, "files-1-sent");
  await small.click();
  const whole = page.getByRole("dialog", { name: "Küche (1).png" });
  await sees(whole.getByRole("img", { name: "Küche (1).png" }));
  await whole.getByRole("button", { name: "Close" }).click();

  await message.evaluate((el) => {
    const data = new DataTransfer();
    data.items.add(new File(["Oil.\n"], "notes.txt", { type: "text/plain" }));
    el.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await sees(page.getByRole("button", { name: "Remove notes.txt" }));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await sees(text(page).getByText("Notes.", { exact: true }));
  await sees(page.getByText("The model was not shown notes.txt: it is no picture that a model can be shown."));
  const down = page.waitForEvent("download");
  const kept = page.getByRole("article", { name: /^You/ }).last().getByRole("button", { name: "notes.txt" });
  await until(async () => (await kept.getAttribute("class")) === "added-file");
  await kept.click();
  assert.match((await down).suggestedFilename(), /notes\.txt$/);
  await shot(page, "files-2-not-seen");
}, { flags: ["--sees", "mock-1"] }));
