// Pictures and files that are put into docs and messages.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, draft, gone, hasFocus, holds, say, sees, until, withWindow } from "./browser.mjs";
import { sha } from "../mockserver.mjs";
import { png } from "../png.mjs";

const MAIN = "#/project/lighthouse/docs/doc-main.md";
const box = (page) => page.getByRole("textbox", { name: /^Text of/ });
const message = (page) => page.getByRole("textbox", { name: "Message" });
const LAMP = png(40, 20), SEA = png(30, 30);
const at = (bytes, name) => `files/${sha(bytes).slice(0, 16)}-${name}`;
const saved = async (page, mock) => {
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved/));
  return mock.projects.get("lighthouse").files.get("doc-main.md").content;
};
const emptied = async (page, text = "") => {
  await sees(box(page));
  await box(page).press("Control+a");
  await page.keyboard.press("Delete");
  if (text !== "") await page.keyboard.insertText(text);
};
const heard = (page, words) => until(async () => (await page.getByRole("log").or(page.locator("[aria-live]")).allTextContents()).join(" ").includes(words), words);

/** give pastes or drops files, and what comes with them, as a browser does. */
function give(field, kind, files, html = "", plain = "") {
  return field.evaluate((el, [kind, files, html, plain]) => {
    const data = new DataTransfer();
    for (const [name, bytes, type] of files) data.items.add(new File([new Uint8Array(bytes)], name, { type }));
    if (html !== "") data.setData("text/html", html);
    if (plain !== "") data.setData("text/plain", plain);
    const r = el.getBoundingClientRect();
    const where = { bubbles: true, cancelable: true, clientX: r.left + 5, clientY: r.top + 10 };
    const e = kind === "paste" ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }) : new DragEvent(kind, { dataTransfer: data, ...where });
    el.dispatchEvent(e);
    return e.defaultPrevented;
  }, [kind, files.map(([name, bytes, type = "image/png"]) => [name, [...bytes], type]), html, plain]);
}

test("a picture that is pasted into a doc stands at the cursor, is shown, and one undo takes it out", () => withWindow(async ({ page, mock }) => {
  await emptied(page, "one two");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
  let go;
  mock.holdAdding = new Promise((ok) => { go = ok; });
  await give(box(page), "paste", [["lamp.png", LAMP]]);
  await sees(box(page).getByText("Adding lamp.png…"));
  assert.equal(await saved(page, mock), "one two", "what is on its way is no part of the file");
  await page.keyboard.insertText("and ");
  go();
  await sees(box(page).getByRole("img", { name: "lamp.png" }));
  await agrees(() => box(page).getByRole("img", { name: "lamp.png" }).evaluate((i) => [i.naturalWidth, i.naturalHeight]), [40, 20]);
  assert.equal(await box(page).getByText("Adding").count(), 0);
  await heard(page, "Added lamp.png");
  assert.equal(await saved(page, mock), `one ![lamp.png](${at(LAMP, "lamp.png")})and two`);
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await sees(box(page).getByRole("img", { name: "lamp.png" }));
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await box(page).press("Control+z");
  assert.equal(await saved(page, mock), "one and two");
}, { path: MAIN }));

test("what is dropped comes to where it was dropped, several files in their order, in one undo", () => withWindow(async ({ page, mock }) => {
  await emptied(page);
  await give(box(page), "drop", [["lamp.png", LAMP], ["notes.txt", Buffer.from("Oil.\n"), "text/plain"], ["sea.png", SEA], ["a.pdf", Buffer.from("%PDF-1.7"), "application/pdf"], ["b.svg", Buffer.from("<svg/>"), "image/svg+xml"]]);
  await counts(box(page).getByRole("img"), 2);
  const want = [`![lamp.png](${at(LAMP, "lamp.png")})`, `[notes.txt](${at("Oil.\n", "notes.txt")})`, `![sea.png](${at(SEA, "sea.png")})`, `[a.pdf](${at("%PDF-1.7", "a.pdf")})`, `[b.svg](${at("<svg/>", "b.svg")})`].join("\n\n");
  assert.equal(await saved(page, mock), want);
  await page.keyboard.press("Control+z");
  await counts(box(page).getByRole("img"), 0);
  assert.equal(await saved(page, mock), "");
}, { path: MAIN }));

test("words that are selected are those of the picture, and a name with signs stays whole", () => withWindow(async ({ page, mock }) => {
  await emptied(page, "The lamp");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowLeft");
  await give(box(page), "paste", [["Küche (1) 50%.png", LAMP]]);
  await sees(box(page).getByRole("img", { name: "lamp" }));
  assert.equal(await saved(page, mock), `The ![lamp](files/${sha(LAMP).slice(0, 16)}-Küche%20%281%29%2050%25.png)`);
}, { path: MAIN }));

test("html goes before its picture, but for one that is alone in it; a picture of the web is named and not read", () => withWindow(async ({ page, mock }) => {
  await emptied(page);
  await give(box(page), "paste", [["image.png", LAMP]], "<meta charset='utf-8'><p>Words <b>bold</b></p><img src='https://w.example/a.png'>", "Words bold");
  await sees(box(page).getByText("Words"));
  assert.equal(await saved(page, mock), "Words **bold**\n\n![](https://w.example/a.png)");
  assert.equal(mock.projects.get("lighthouse").added.size, 0);
  assert.equal(await box(page).getByRole("img").count(), 0);
  await emptied(page);
  await give(box(page), "paste", [["image.png", LAMP]], "<meta charset='utf-8'><html><body>\n<!--StartFragment--><img src='https://w.example/a.png' alt='x'><!--EndFragment-->\n</body></html>");
  await sees(box(page).getByRole("img", { name: "image.png" }));
  assert.equal(await saved(page, mock), `![image.png](${at(LAMP, "image.png")})`);
}, { path: MAIN }));

for (const [status, words] of [[413, /big\.png was not added: it has more than 20 MB/], [415, /big\.png was not added: it is no picture, PDF or text/], [400, /big\.png was not added: its name has no letter/], [500, /big\.png was not added\. No/]]) {
  test(`a file that is refused with ${status} is told in words, and the doc stays as it is`, () => withWindow(async ({ page, mock }) => {
    await emptied(page, "one");
    mock.refuseAdding = status;
    await give(box(page), "paste", [["big.png", LAMP]]);
    await sees(box(page).getByText(words));
    await heard(page, "big.png was not added");
    assert.equal(await saved(page, mock), "one");
    mock.refuseAdding = 0;
    await box(page).getByRole("button", { name: "Try again" }).click();
    await sees(box(page).getByRole("img", { name: "big.png" }));
    assert.equal(await saved(page, mock), `one![big.png](${at(LAMP, "big.png")})`);
  }, { path: MAIN, expect: /Failed to load resource/ }));
}

test("of several the others come, what is too large is not even sent, and what failed can be removed", () => withWindow(async ({ page, mock }) => {
  await emptied(page);
  await box(page).evaluate((el, lamp) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(20_000_001)], "big.png"));
    data.items.add(new File([new Uint8Array(lamp)], "lamp.png"));
    data.items.add(new File([], "none.png"));
    el.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, [...LAMP]);
  await sees(box(page).getByRole("img", { name: "lamp.png" }));
  await sees(box(page).getByText("big.png was not added: it has more than 20 MB"));
  await sees(box(page).getByText("none.png was not added. It is empty."));
  await box(page).getByRole("button", { name: "Remove big.png" }).click();
  await box(page).getByRole("button", { name: "Remove none.png" }).click();
  await gone(box(page).getByText("was not added").first());
  assert.equal(await saved(page, mock), `![lamp.png](${at(LAMP, "lamp.png")})`);
}, { path: MAIN }));

test("what is dragged over a doc or a message has a calm frame, and nothing moves", () => withWindow(async ({ page, mock }) => {
  await sees(box(page));
  const frame = page.locator(".dropping");
  const line = () => box(page).locator(".cm-line").first().boundingBox();
  const before = await line();
  assert.equal(await give(box(page), "dragover", [["lamp.png", LAMP]]), true);
  await counts(frame, 1);
  assert.deepEqual(await line(), before);
  await give(box(page), "dragleave", [["lamp.png", LAMP]]);
  await counts(frame, 0);
  await draft(page, mock);
  const size = await message(page).boundingBox();
  assert.equal(await give(message(page), "dragover", [["lamp.png", LAMP]]), true);
  await counts(frame, 1);
  assert.deepEqual(await message(page).boundingBox(), size);
  await give(message(page), "dragleave", [["lamp.png", LAMP]]);
  await counts(frame, 0);
}, { path: MAIN }));

test("nothing comes into the reading view, and the page stays", () => withWindow(async ({ page, mock }) => {
  await sees(box(page));
  await page.getByRole("button", { name: "Read", exact: true }).click();
  assert.equal(await give(box(page), "drop", [["lamp.png", LAMP]]), true);
  await give(box(page), "paste", [["lamp.png", LAMP]]);
  await page.waitForTimeout(100);
  assert.equal(mock.projects.get("lighthouse").added.size, 0);
}, { path: MAIN }));
