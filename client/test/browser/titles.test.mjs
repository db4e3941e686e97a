// What people read of docs and projects: their titles, in any script.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, gone, hasFocus, holds, sees, until, withWindow } from "./browser.mjs";

const TOWER = "灯台";
const docs = (page) => page.getByRole("complementary", { name: "Docs" });
const file = (mock, name, project = "lighthouse") => mock.projects.get(project).files.get(name)?.content;
const only = (mock, project = "lighthouse") => [...mock.projects.get(project).files.keys()].find((n) => /^doc-x/.test(n));

test("a project and a page are made of titles, and are found by them", () => withWindow(async ({ page, mock }) => {
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByLabel("Project title").fill(TOWER);
  await page.getByRole("button", { name: "Create project" }).click();
  await sees(page.getByRole("button", { name: `Project ${TOWER}`, exact: true }));
  const name = [...mock.projects.keys()].find((n) => n !== "lighthouse");
  assert.ok(file(mock, "doc-main.md", name).startsWith(`# ${TOWER}\n`));
  await until(async () => (await page.title()) === `${TOWER} · Vibey`);

  // The leading doc has the project's title; that its file is called main is told.
  await sees(docs(page).getByRole("link", { name: `${TOWER} main`, exact: true }));
  await page.getByRole("button", { name: "New doc" }).click();
  await page.getByLabel("Title", { exact: true }).fill("منارة على البحر");
  await page.getByRole("button", { name: "Create doc" }).click();
  const link = docs(page).getByRole("link", { name: "منارة على البحر", exact: true });
  await sees(link);
  assert.equal(await link.locator(".name > span").evaluate((e) => getComputedStyle(e).direction), "rtl");
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "منارة على البحر", level: 1 })));
  await sees(page.getByRole("textbox", { name: "Text of منارة على البحر" }));
  assert.equal(file(mock, only(mock, name), name), "# منارة على البحر\n\n");

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find or do" }).fill("البحر");
  await sees(page.getByRole("group", { name: "Docs", exact: true }).getByRole("option", { name: "منارة على البحر" }));
  await page.keyboard.press("Escape");
  await page.goto(`${mock.url}#/projects`);
  await sees(page.getByRole("link", { name: TOWER, exact: true }));
  await page.getByRole("button", { name: `Delete project ${TOWER}` }).click();
  await sees(page.getByRole("dialog", { name: `Delete ${TOWER}?` }).getByText(name));
}, { path: "#/projects" }));

test("a title follows its text, wherever it stands", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-rules.md", "# Rules\n\nThe lamp burns.\n");
  await sees(docs(page).getByRole("link", { name: "Rules", exact: true }));
  await docs(page).getByRole("link", { name: "Rules", exact: true }).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Rules", level: 1 })));
  mock.writeFile("lighthouse", "doc-rules.md", "# Die Regeln\n\nThe lamp burns.\n");
  await sees(docs(page).getByRole("link", { name: "Die Regeln rules", exact: true }));
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Die Regeln", level: 1 })));
  await sees(page.getByRole("textbox", { name: "Text of Die Regeln" }));
  await until(async () => (await page.title()) === "Die Regeln · Vibey");
  mock.writeFile("lighthouse", "doc-main.md", "# Der Leuchtturm am Meer\n");
  await sees(page.getByRole("button", { name: "Project Der Leuchtturm am Meer", exact: true }));
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Der Leuchtturm am Meer", level: 1 })));
  // A call names the file, and what people call it.
  const d = mock.addDialog("lighthouse", "x");
  mock.ask(d, "write_file", { path: "doc-rules.md", content: "# x\n" });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await sees(page.getByTestId("approval").locator(".as").getByText("Die Regeln"));
  await sees(page.getByTestId("approval").getByRole("heading", { name: /doc-rules\.md\?/ }));
}, { path: "#/project/lighthouse/docs" }));

test("another title is another heading; the file keeps its name", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-notes.md", "---\ntags: x\n---\r\n# Notes\r\n\r\nwords\r\n");
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-notes.md`);
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Notes", level: 1 })));
  const rename = async (title) => {
    await page.getByRole("button", { name: "Rename" }).click();
    const field = page.getByRole("textbox", { name: "Title of this doc" });
    await hasFocus(field);
    await field.fill(title);
    await page.keyboard.press("Enter");
    await gone(field);
    await sees(page.locator("h1").and(page.getByRole("heading", { name: title, level: 1, exact: true })));
  };
  await rename(`${TOWER} *1*`);
  assert.equal(file(mock, "doc-notes.md"), `---\ntags: x\n---\r\n# ${TOWER} \\*1\\*\r\n\r\nwords\r\n`);
  await sees(docs(page).getByRole("link", { name: `${TOWER} *1* notes`, exact: true }));
  assert.equal(await page.getByText("Not saved", { exact: true }).count(), 0);

  mock.writeFile("lighthouse", "doc-notes.md", "words alone\n");
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "notes", level: 1, exact: true })));
  await rename("A title");
  assert.equal(file(mock, "doc-notes.md"), "# A title\n\nwords alone\n");

  mock.writeFile("lighthouse", "doc-notes.md", "---\ntags: x\n---\nwords alone\n");
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "notes", level: 1, exact: true })));
  await rename("Behind front matter");
  assert.equal(file(mock, "doc-notes.md"), "---\ntags: x\n---\n# Behind front matter\n\nwords alone\n");
}));

test("links complete by title", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-x1c9b65b5.md", `# ${TOWER}\n`);
  mock.writeFile("lighthouse", "doc-rules.md", "# Rules of the lamp\n");
  mock.writeFile("lighthouse", "doc-map.md", "# A map of the lamp\n");
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  const text = page.getByRole("textbox", { name: /^Text of / });
  await text.click();
  await page.keyboard.press("Control+End");
  const list = page.getByRole("listbox", { name: "Docs to link to" });
  await page.keyboard.type("See [lamp");
  await agrees(() => list.getByRole("option").allTextContents(), ["A map of the lamp", "Rules of the lamp"]);
  await page.keyboard.press("ArrowDown");
  await agrees(() => list.getByRole("option", { selected: true }).allTextContents(), ["Rules of the lamp"]);
  await page.keyboard.press("Enter");
  await gone(list);
  await page.keyboard.type(" and [[x1c");
  await list.getByRole("option", { name: TOWER }).click();
  await gone(list);
  // What is left alone stays as it was written.
  await page.keyboard.type(" [map");
  await sees(list);
  await page.keyboard.press("Escape");
  await gone(list);
  await page.keyboard.type("]");
  await page.keyboard.press("Enter");
  await page.keyboard.type("- [x] done");
  assert.equal(await list.count(), 0);
  await page.keyboard.press("Control+s");
  await until(() => file(mock, "doc-main.md").endsWith(`See [Rules of the lamp](doc-rules.md) and [${TOWER}](doc-x1c9b65b5.md) [map]\n- [x] done`));
}));

test("the docs that a link may lead to lie over what stands at the foot of the text", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-rules.md", "# Rules of the lamp\n");
  mock.writeFile("lighthouse", "doc-map.md", "# A map of the lamp\n");
  mock.writeFile("lighthouse", "doc-night.md", `# Night\n\n{==dark==}{>>How dark?<<}\n\n${"The lamp stood still.\n\n".repeat(60)}`);
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-night.md`);
  const text = page.getByRole("textbox", { name: /^Text of / }), list = page.getByRole("listbox", { name: "Docs to link to" });
  const send = page.getByRole("button", { name: "Send my comments" });
  await text.click();
  await sees(send);
  await page.keyboard.press("Control+Home");
  const top = (of) => of.boundingBox().then((b) => b.y);
  const cursor = page.locator(".cm-cursor-primary");
  let at = await top(cursor);
  while (at < (await top(send)) - 60) {
    await page.keyboard.press("ArrowDown");
    await until(async () => (await top(cursor)) !== at); // it is drawn a frame later
    at = await top(cursor);
  }
  await page.keyboard.press("End");
  await page.keyboard.type(" [lamp");
  // One letter offers more docs, for which there is more room above.
  await counts(list.getByRole("option"), 2);
  await until(async () => (await top(list.getByRole("option").last())) + 10 > (await top(send)) - 40, "the list reaches the foot");
  await list.getByRole("option").last().click();
  await gone(list);
}));

test("an editor that comes late takes no letter from another field", () => withWindow(async ({ page, context, mock }) => {
  let editor;
  await context.route("**/assets/editor-*.js", (r) => { editor = r; });
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  await until(() => editor !== undefined);
  await page.getByRole("button", { name: "New doc" }).click();
  const field = page.getByLabel("Title", { exact: true });
  await hasFocus(field);
  await page.keyboard.type("No");
  assert.equal(await page.getByRole("button", { name: "Rename" }).isDisabled(), true); // it is written into the text
  await editor.continue();
  await sees(page.getByRole("textbox", { name: /^Text of / }));
  await page.keyboard.type("tes");
  await holds(field, "Notes");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Rename" }).click();
  await hasFocus(page.getByRole("textbox", { name: "Title of this doc" }));
}));
