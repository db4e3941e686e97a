// What lies in the folder and can't be a doc is told below the list, and taken in.
import { test } from "node:test";
import assert from "node:assert/strict";
import { counts, gone, sees, withWindow } from "./browser.mjs";

const lay = (mock, ...list) => {
  mock.projects.get("lighthouse").unlisted = list;
  mock.writeFile("lighthouse", "doc-notes.md", "# Notes\n"); // something changed
};

test("a file that can't be a doc is told with why, and taken in", () => withWindow(async ({ page, mock }) => {
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "lighthouse", level: 1 })));
  const told = page.getByRole("region", { name: "In the folder, and no doc" });
  await gone(told);
  lay(mock,
    { name: "Kapitel-ä.md", why: "a doc's name has letters only", as: "doc-kapitel-ae.md", text: "# Ä\n" },
    { name: "doc-latin\u202e.md", why: "its bytes are not UTF-8" });
  await sees(told.getByText("Kapitel-ä.md"));
  await sees(told.getByText("its bytes are not UTF-8."));
  await sees(told.getByText("U+202E")); // a name from outside hides nothing
  await counts(told.getByRole("button"), 1);
  await told.getByRole("button", { name: "Take in Kapitel-ä.md as doc-kapitel-ae.md" }).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Ä", level: 1, exact: true })));
  assert.equal(mock.projects.get("lighthouse").files.get("doc-kapitel-ae.md").content, "# Ä\n");
  await sees(told.getByRole("link", { name: "Ä", exact: true }));
  await counts(told.getByRole("button"), 0);

  // A name that is taken meanwhile is told, and nothing else happens.
  lay(mock, { name: "todo.txt", why: "plain text", as: "doc-notes.md", text: "x" });
  await told.getByRole("button", { name: "Take in todo.txt as doc-notes.md" }).click();
  await sees(told.getByRole("alert").getByText("This name is taken already."));

  // Of many, few stand there until all are asked for.
  lay(mock, ...Array.from({ length: 9 }, (_, i) => ({ name: `n${i}.txt`, why: "plain text", as: `doc-n${i}.md`, text: "x" })));
  await counts(told.getByRole("listitem"), 3);
  await told.getByRole("button", { name: "Show all 9" }).click();
  await counts(told.getByRole("listitem"), 9);
  lay(mock);
  await gone(told);
}, { path: "#/project/lighthouse/docs/doc-main.md", expect: /409/ }));
