import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";

/** The rooms, the lowest first, and what each may import. Imports of types alone and imports at need count like the others. */
const ROOMS: Record<string, string[]> = {
  types: [],
  live: [],
  text: ["types"],
  state: ["types", "live", "text"],
  editor: ["text", "state"],
  "view/parts": ["types", "text", "state", "editor"],
  "view/approval": ["types", "text", "state", "view/parts"],
  "view/dialog": ["types", "text", "state", "view/parts", "view/approval"],
  "view/doc": ["types", "text", "state", "editor", "view/parts", "view/approval", "view/dialog"],
  "view/board": ["types", "text", "state", "view/parts", "view/approval", "view/dialog"],
  view: ["types", "text", "state", "view/parts", "view/dialog", "view/doc", "view/board"],
  main: ["state", "view"],
};

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((f) => /\.(tsx?|json)$/.test(f));
const imports = new Map(files.map((f) => [f, [...readFileSync(join("src", f), "utf8").matchAll(/\b(?:from|import)\s*\(?"(\.[^"]+)"/g)].map((m) => join(dirname(f), m[1]!))]));

const roomOf = (f: string) => (f.includes("/") ? dirname(f) : f.replace(/\.tsx?$/, ""));

test("a room imports only what its row names, all of that, and nothing above it", () => {
  const names = Object.keys(ROOMS);
  const found = new Map(names.map((n) => [n, new Set<string>()]));
  for (const [f, all] of imports) {
    for (const to of all) {
      assert.ok(imports.has(to), `${f} imports ${to}`);
      if (roomOf(to) === roomOf(f)) continue;
      assert.ok(ROOMS[roomOf(f)]?.includes(roomOf(to)), `${f} imports ${to}`);
      found.get(roomOf(f))!.add(roomOf(to));
    }
  }
  for (const [room, may] of Object.entries(ROOMS)) {
    assert.deepEqual(may.filter((r) => !found.get(room)!.has(r)), [], `what ${room} no longer imports`);
    assert.deepEqual(may.filter((r) => names.indexOf(r) >= names.indexOf(room)), [], `what stands above ${room}`);
  }
});

test("no file imports itself by way of others", () => {
  const done = new Set<string>();
  const visit = (f: string, way: string[]): void => {
    assert.ok(!way.includes(f), [...way.slice(way.indexOf(f)), f].join(" -> "));
    if (done.has(f)) return;
    for (const to of imports.get(f)!) visit(to, [...way, f]);
    done.add(f);
  };
  for (const f of files) visit(f, []);
});
