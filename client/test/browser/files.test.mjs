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

/**
 * choosing waits for the browser's chooser of files from here on; what it returns waits for
 * its end. The page must know that a test takes it: a key overtakes that word where the page
 * is busy, and an answer of the page does not.
 */
async function choosing(page) {
  const chooser = page.waitForEvent("filechooser");
  await page.evaluate(() => undefined);
  return () => chooser;
}

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

test("a file that is dropped on a picture stands behind it, and takes nothing of its markup", () => withWindow(async ({ page, mock }) => {
  await emptied(page);
  await give(box(page), "paste", [["lamp.png", LAMP]]);
  const lamp = box(page).getByRole("img", { name: "lamp.png" }), { x, y, width, height } = await (await sees(lamp), lamp.boundingBox());
  for (const [at, name] of [[0.1, "sea.png"], [0.9, "sea2.png"]]) {
    await box(page).evaluate((el, [x, y, bytes, name]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
      el.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true, clientX: x, clientY: y }));
    }, [x + width * at, y + height / 2, [...SEA, name.length], name]);
    await sees(box(page).getByRole("img", { name }));
  }
  const all = [...(await saved(page, mock)).matchAll(/!\[([^\]]*)\]\([^)]*\)/g)];
  assert.equal(all.map((m) => m[0]).join("").replace(/ /g, ""), (await saved(page, mock)).replace(/ /g, ""), "whole pictures, and nothing else");
  assert.deepEqual(all.map((m) => m[1]).sort(), ["lamp.png", "sea.png", "sea2.png"]);
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

test("a file that is dropped where none is taken does not take the place of the page", () => withWindow(async ({ page, mock }) => {
  await sees(box(page));
  for (const kind of ["dragover", "drop"]) assert.equal(await give(page.locator("body"), kind, [["lamp.png", LAMP]]), true, kind);
  assert.equal(mock.projects.get("lighthouse").added.size, 0);
}, { path: MAIN }));

test("the doc's menu opens the chooser, and what is chosen comes to the cursor", () => withWindow(async ({ page, mock }) => {
  await emptied(page, "one");
  await page.getByRole("button", { name: "Menu of lighthouse" }).click();
  const chooser = await choosing(page);
  await page.getByRole("menuitem", { name: "Add a picture or file" }).click();
  await (await chooser()).setFiles([{ name: "lamp.png", mimeType: "image/png", buffer: LAMP }]);
  await sees(box(page).getByRole("img", { name: "lamp.png" }));
  assert.equal(await saved(page, mock), `one![lamp.png](${at(LAMP, "lamp.png")})`);
}, { path: MAIN }));

test("a doc whose lines end with CR LF keeps them, and what is taken off on its way does not come", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-cr.md", "# Sea\r\n\r\nWords\r\n");
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-cr.md`);
  await sees(box(page).getByText("Words"));
  await box(page).press("Control+End");
  await give(box(page), "paste", [["lamp.png", LAMP], ["sea.png", SEA]]);
  await counts(box(page).getByRole("img"), 2);
  let go;
  mock.holdAdding = new Promise((ok) => { go = ok; });
  await give(box(page), "paste", [["late.txt", Buffer.from("late"), "text/plain"]]);
  await box(page).getByRole("button", { name: "Remove late.txt" }).click();
  go();
  await counts(box(page).locator(".md-coming"), 0);
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved/));
  assert.equal(mock.projects.get("lighthouse").files.get("doc-cr.md").content, `# Sea\r\n\r\nWords\r\n![lamp.png](${at(LAMP, "lamp.png")})\r\n\r\n![sea.png](${at(SEA, "sea.png")})`);
}));

test("what was on its way when its doc was left is told, for the doc does not have it", () => withWindow(async ({ page, mock }) => {
  await emptied(page, "one");
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved/));
  let go;
  mock.holdAdding = new Promise((ok) => { go = ok; });
  await give(box(page), "paste", [["lamp.png", LAMP]]);
  await sees(box(page).getByText("Adding lamp.png…"));
  await page.evaluate(() => { location.hash = "#/project/lighthouse/dialogs"; });
  await gone(box(page));
  go();
  await sees(page.getByText("lamp.png is kept, but the doc that you put it into was closed"));
}, { path: MAIN }));

test("a link to a file of files/ opens what is a picture, and downloads what is none", () => withWindow(async ({ page, mock }) => {
  const added = mock.projects.get("lighthouse").added;
  added.set(at(LAMP, "lamp.png"), LAMP);
  added.set(at("Oil.", "notes.txt"), Buffer.from("Oil."));
  mock.writeFile("lighthouse", "doc-main.md", `# x\n\n[lamp](${at(LAMP, "lamp.png")})\n\n[notes](${at("Oil.", "notes.txt")})\n`);
  await page.reload();
  const down = page.waitForEvent("download");
  await box(page).locator(".md-link", { hasText: "notes" }).click({ modifiers: ["Control"] });
  assert.equal((await down).suggestedFilename(), "notes.txt");
  await box(page).locator(".md-link", { hasText: "lamp" }).click({ modifiers: ["Control"] });
  await sees(page.getByRole("dialog", { name: "lamp.png" }).getByRole("img"));
}, { path: MAIN }));

test("nothing comes into the reading view, and the page stays", () => withWindow(async ({ page, mock }) => {
  await sees(box(page));
  await page.getByRole("button", { name: "Read", exact: true }).click();
  assert.equal(await give(box(page), "drop", [["lamp.png", LAMP]]), true);
  await give(box(page), "paste", [["lamp.png", LAMP]]);
  await page.waitForTimeout(100);
  assert.equal(mock.projects.get("lighthouse").added.size, 0);
}, { path: MAIN }));

const chip = (page, name) => page.getByRole("list", { name: "Files of this message" }).getByRole("listitem").filter({ hasText: name });
const remove = (page, name) => page.getByRole("button", { name: `Remove ${name}`, exact: true });
const asked = (mock) => [...mock.projects.get("lighthouse").dialogs.values()].flatMap((d) => d.sections.filter((s) => s.role === "User").map((s) => s.payloads[0].text));
const LINK = `![lamp.png](${at(LAMP, "lamp.png")})`;

test("in a message it is a chip with its picture and name, which goes out before the words, and is shown in the log", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await message(page).fill("What is this?");
  await give(message(page), "paste", [["lamp.png", LAMP]]);
  await sees(chip(page, "lamp.png").locator("img"));
  await agrees(() => chip(page, "lamp.png").locator("img").evaluate((i) => i.naturalWidth), 40);
  await holds(message(page), "What is this?");
  await heard(page, "Added lamp.png");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await until(() => asked(mock).length === 1);
  assert.deepEqual(asked(mock), [`${LINK}\n\nWhat is this?`]);
  await counts(chip(page, "lamp.png"), 0);
  await holds(message(page), "");
  const shown = page.getByRole("article", { name: /^You/ }).getByRole("button", { name: "lamp.png" });
  await sees(shown);
  await agrees(() => shown.getByRole("img").evaluate((i) => i.naturalWidth), 40);
  await shown.click();
  const whole = page.getByRole("dialog", { name: "lamp.png" });
  await sees(whole.getByRole("img", { name: "lamp.png" }));
  await whole.getByRole("button", { name: "Close" }).click();
  await gone(whole);
}));

test("a chip can be taken off, and alone it can be sent; the same file is there once", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await give(message(page), "drop", [["lamp.png", LAMP], ["sea.png", SEA]]);
  await sees(remove(page, "sea.png"));
  await give(message(page), "paste", [["again.png", LAMP]]);
  await sees(remove(page, "lamp.png"));
  await until(() => page.getByText("Adding").count().then((n) => n === 0));
  await counts(page.getByRole("list", { name: "Files of this message" }).getByRole("listitem"), 2);
  await remove(page, "sea.png").click();
  await hasFocus(message(page));
  await counts(chip(page, "sea.png"), 0);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await until(() => asked(mock).length === 1);
  assert.deepEqual(asked(mock), [LINK]);
}));

test("what is added survives a reload, and another tab does not take it", () => withWindow(async ({ page, mock, open }) => {
  await draft(page, mock);
  await message(page).fill("Words");
  await give(message(page), "paste", [["lamp.png", LAMP]]);
  await sees(remove(page, "lamp.png"));
  await page.reload();
  await sees(remove(page, "lamp.png"));
  await agrees(() => chip(page, "lamp.png").locator("img").evaluate((i) => i.naturalWidth), 40);
  await holds(message(page), "Words");
  const other = await open(new URL(page.url()).hash);
  await sees(message(other));
  await give(message(other), "paste", [["sea.png", SEA]]);
  await sees(remove(other, "sea.png"));
  await counts(remove(other, "lamp.png"), 0);
  await counts(remove(page, "sea.png"), 0);
}));

test("while the agent works it waits with its picture, and is taken back as a chip with the words", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.work(d);
  await message(page).fill("Later");
  await give(message(page), "paste", [["lamp.png", LAMP]]);
  await sees(remove(page, "lamp.png"));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const next = page.getByRole("list", { name: "Next messages" });
  await sees(next.getByText("Later", { exact: true }));
  await sees(next.getByRole("img", { name: "lamp.png" }));
  await message(page).fill("newer");
  await give(message(page), "paste", [["sea.png", SEA]]);
  await sees(remove(page, "sea.png"));
  await next.getByRole("button", { name: "Take back" }).click();
  await holds(message(page), "Later\n\nnewer");
  await sees(remove(page, "lamp.png"));
  await sees(remove(page, "sea.png"));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  mock.rest(d, "waiting", "reply");
  await until(() => asked(mock).length === 1);
  assert.deepEqual(asked(mock), [`${LINK}\n![sea.png](${at(SEA, "sea.png")})\n\nLater\n\nnewer`]);
}));

test("a message that is refused keeps its picture", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await page.route("**/project/lighthouse/dialog", (r) => r.fulfill({ status: 507, contentType: "application/problem+json", body: JSON.stringify({ title: "No", detail: "The disk is full." }) }));
  await give(message(page), "paste", [["lamp.png", LAMP]]);
  await sees(remove(page, "lamp.png"));
  await say(page, "Look");
  const next = page.getByRole("list", { name: "Next messages" });
  await sees(next.getByText("The disk is full."));
  await sees(next.getByRole("img", { name: "lamp.png" }));
  await page.unroute("**/project/lighthouse/dialog");
  await next.getByRole("button", { name: "Try again" }).click();
  await until(() => asked(mock).length === 1);
  assert.deepEqual(asked(mock), [`${LINK}\n\nLook`]);
}, { expect: /Failed to load resource/ }));

test("nothing goes out while a file is on its way or was refused, and the words stay", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  let go;
  mock.holdAdding = new Promise((ok) => { go = ok; });
  mock.refuseAdding = 413;
  await message(page).fill("Look");
  await give(message(page), "paste", [["lamp.png", LAMP]]);
  await sees(page.getByText("Adding lamp.png…"));
  await message(page).press("Control+Enter");
  await sees(page.getByText("lamp.png is still being added."));
  go();
  await sees(chip(page, "lamp.png was not added: it has more than 20 MB"));
  await message(page).press("Control+Enter");
  await sees(page.getByText("lamp.png was not added, so nothing was sent."));
  assert.deepEqual(asked(mock), []);
  await holds(message(page), "Look");
  mock.refuseAdding = 0;
  await chip(page, "lamp.png").getByRole("button", { name: "Try again" }).click();
  await sees(chip(page, "lamp.png").locator("img"));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await until(() => asked(mock).length === 1);
  assert.deepEqual(asked(mock), [`${LINK}\n\nLook`]);
}, { expect: /Failed to load resource/ }));

test("what is on its way comes to its own message, also where another dialog is shown by then", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  let go;
  mock.holdAdding = new Promise((ok) => { go = ok; });
  await give(message(page), "paste", [["lamp.png", LAMP]]);
  await sees(page.getByText("Adding lamp.png…"));
  await page.getByRole("link", { name: "New dialog" }).click();
  await sees(page.getByRole("heading", { name: "New dialog" }));
  go();
  await heard(page, "Added lamp.png");
  await counts(remove(page, "lamp.png"), 0);
  await page.evaluate((to) => { location.hash = to; }, `#/project/lighthouse/dialogs/${d.id}`);
  await sees(remove(page, "lamp.png"));
}));

test("a new dialog is named by its words, or by the file that is alone in it; the chooser is reached by keys", () => withWindow(async ({ page, mock }) => {
  await sees(message(page));
  await sees(page.getByRole("button", { name: "Add a picture or file" }));
  const chooser = await choosing(page);
  await message(page).press("Tab");
  await hasFocus(page.getByRole("button", { name: "Add a picture or file" }));
  await page.keyboard.press("Enter");
  await (await chooser()).setFiles([{ name: "lamp.png", mimeType: "image/png", buffer: LAMP }, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Oil.\n") }]);
  await sees(remove(page, "notes.txt"));
  await hasFocus(message(page));
  await sees(page.getByRole("button", { name: "Send", exact: true, disabled: false })); // both are there, and a model
  await page.keyboard.press("Control+Enter");
  await sees(page.getByRole("heading", { name: "lamp.png", level: 1 }));
  await until(() => asked(mock).length === 1);
  assert.deepEqual(asked(mock), [`${LINK}\n![notes.txt](${at("Oil.\n", "notes.txt")})`]);
  const file = page.getByRole("article", { name: /^You/ }).getByRole("button", { name: "notes.txt" });
  await sees(file);
  const down = page.waitForEvent("download");
  await until(async () => (await file.getAttribute("class")) === "added-file");
  await file.click();
  assert.equal((await down).suggestedFilename(), "notes.txt");
}, { path: "#/project/lighthouse/dialogs/new" }));

test("what the model was not shown of a message is told in words, and what it is shown no more", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "please-look");
  const use = (name, state, hash = sha(name)) => `files/0123456789abcdef-${name} sha256:${hash} ${state}`;
  mock.append(d, "User", "input/markdown", "See.", { meta: { By: "human", Pictures: [use("a%20b.png", "sent"), use("c%3Bd.png", "unseen"), use("e.png", "gone", "-"), use("f.png", "another"), use("g.pdf", "not"), "nonsense", use("h.png", "later-word")].join("; ") } });
  mock.append(d, "Note", "note/markdown", "[PICTURE] From here on a line stands in the place.", { meta: { Kind: "picture", To: "model", Pictures: `${use("a%20b.png", "gone")}; ${use("i.png", "older")}` } });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  const mine = page.getByRole("article", { name: /^You/ });
  await agrees(() => mine.locator(".not-shown").allTextContents(), [
    "The model was not shown c;d.png: it is not known to see pictures.",
    "The model was not shown e.png: the file is not there any more.",
    "The model was not shown f.png: the file was changed since it was added.",
    "The model was not shown g.pdf: it is no picture that a model can be shown.",
    "The model was not shown h.png: it could not be.",
  ]);
  await sees(page.getByText("From here on the model is not shown a b.png: the file is not there any more. From here on the model is not shown i.png: too many pictures came after it."));
}));

test("a question about a passage takes a picture along", () => withWindow(async ({ page, mock }) => {
  await emptied(page, "The lamp");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+i");
  const field = page.getByRole("textbox", { name: "Ask about this passage" });
  await field.fill("Why?");
  await give(field, "paste", [["lamp.png", LAMP]]);
  await sees(remove(page, "lamp.png"));
  await field.press("Enter");
  await until(() => asked(mock).length === 1);
  assert.equal(mock.starts[0].prompt, `${LINK}\n\nWhy?`);
  await counts(remove(page, "lamp.png"), 0);
}, { path: MAIN }));
