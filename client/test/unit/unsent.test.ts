import { test } from "node:test";
import assert from "node:assert/strict";
import { together } from "../../src/text/queue.ts";
import { Unsent } from "../../src/text/unsent.ts";

/** A browser's storage with its tabs: each hears of what the others change. */
class Browser {
  map = new Map<string, string>();
  tabs: Tab[] = [];
  full = false;
  pages = 0;
  set(by: Tab, key: string, value: string | null): void {
    if (value === null ? !this.map.delete(key) : this.full) {
      if (value === null) return;
      throw new Error("quota");
    }
    if (value !== null) this.map.set(key, value);
    for (const t of this.tabs) if (t !== by) t.heard.push([key, value]);
  }
  /** settle lets every tab hear what it has not heard yet. */
  settle(): void {
    for (let n = 0; n < 20 && this.tabs.some((t) => t.heard.length > 0); n++) for (const t of this.tabs) t.hear();
    assert.deepEqual(this.tabs.flatMap((t) => t.heard), [], "it comes to rest");
  }
}

class Tab {
  heard: [string, string | null][] = [];
  box: string;
  unsent: Unsent;
  names = 0;
  /** Where `typed` is given, that is in the box before the tab knows which others live, and it never comes to know. */
  constructor(readonly browser: Browser, readonly name: string, living?: ReadonlySet<string>, typed?: string) {
    const shelf = {
      getItem: (k: string) => browser.map.get(k) ?? null, keys: () => [...browser.map.keys()],
      setItem: (k: string, v: string) => browser.set(this, k, v), removeItem: (k: string) => browser.set(this, k, null),
    };
    this.unsent = new Unsent(shelf, name, () => `${name}+${++this.names}`, `page${++browser.pages}`);
    browser.tabs.push(this);
    if (typed !== undefined) this.unsent.begin("p", "d", typed, `T${browser.pages}`);
    this.box = typed ?? this.unsent.take("p", "d", living);
  }
  /** knows is what happens once the tab knows which others live. */
  knows(living?: ReadonlySet<string>): Tab {
    this.box = together(this.unsent.take("p", "d", living), this.box);
    this.type(this.box);
    this.unsent.begin("p", "d", "", "");
    return this;
  }
  type(text: string, at = "T1"): void {
    this.box = text;
    this.unsent.keep("p", "d", text, at);
  }
  hear(): void { for (const [key, value] of this.heard.splice(0)) this.unsent.changed(key, value, "p", "d", this.box, "T9"); }
  close(): void { this.browser.tabs = this.browser.tabs.filter((t) => t !== this); }
  /** reload closes the tab and opens it anew under its name. */
  reload(name = this.name): Tab {
    this.close();
    return new Tab(this.browser, name);
  }
}

test("a tab's text is its own, and what another sends takes nothing from it", () => {
  const b = new Browser();
  const one = new Tab(b, "1"), two = new Tab(b, "2");
  one.type("x");
  two.type("y");
  two.type("");
  b.settle();
  assert.equal(one.reload().box, "x");
});

test("a tab that was closed leaves its text to the next, once", () => {
  const b = new Browser();
  const one = new Tab(b, "1"), two = new Tab(b, "2");
  one.type("old", "T1");
  two.type("new", "T2");
  one.close();
  two.close();
  const three = new Tab(b, "3");
  assert.equal(three.box, "new");
  three.type("");
  b.settle();
  assert.equal(three.reload().box, "old");
  assert.equal(b.map.size, 1);
});

test("a text that a later tab took stays with the tab that shows it", () => {
  const b = new Browser();
  const one = new Tab(b, "1");
  one.type("x");
  const two = new Tab(b, "2");
  assert.equal(two.box, "x");
  b.settle();
  two.type("");
  b.settle();
  assert.equal(one.reload().box, "x");
});

test("what is written in a tab that lives is not taken from it", () => {
  const b = new Browser();
  const one = new Tab(b, "1");
  one.type("x");
  const two = new Tab(b, "2", new Set(["1"]));
  assert.equal(two.box, "");
  one.type("");
  b.settle();
  assert.equal(two.reload().box, "");
});

test("a tab that was copied keeps a place of its own", () => {
  const b = new Browser();
  const one = new Tab(b, "1");
  one.type("x");
  const copy = new Tab(b, "1");
  assert.equal(copy.box, "x");
  copy.type("y");
  b.settle();
  copy.type("");
  b.settle();
  assert.equal(one.reload("1+1").box, "x");
});

test("a full storage keeps the text where it is, and what is broken is none", () => {
  const b = new Browser();
  const one = new Tab(b, "1");
  one.type("x");
  one.close();
  b.full = true;
  const two = new Tab(b, "2");
  assert.equal(two.box, "x");
  two.type("y");
  assert.equal(b.map.size, 1);
  for (const bad of ["{", "null", "3", '{"at":1,"text":"x"}']) {
    b.map = new Map([["vibey.message/p/d/7", bad]]);
    assert.equal(new Tab(b, "8").box, "");
  }
});

test("what is typed before the tab knows of the others outlives reloads, behind what was kept", () => {
  const b = new Browser();
  new Tab(b, "1").type("kept");
  const quick = (typed: string) => new Tab(b, "1", undefined, typed);
  quick("one").close();
  quick("two").close();
  const three = quick("three").knows();
  assert.equal(three.box, "kept\n\none\n\ntwo\n\nthree");
  assert.equal(three.reload().box, "kept\n\none\n\ntwo\n\nthree");
  assert.equal(b.map.size, 1);
});

test("what was typed in a tab that is closed at once goes to the next; of one that lives nothing is taken", () => {
  const b = new Browser();
  const one = new Tab(b, "1", undefined, "quick");
  assert.equal(new Tab(b, "2", new Set(["1"])).box, "");
  one.close();
  const two = new Tab(b, "2");
  assert.equal(two.box, "quick");
  assert.equal(two.reload().box, "quick");
  assert.equal(b.map.size, 1);
});

test("a tab that turns out to be a copy leaves nothing behind of what it began", () => {
  const b = new Browser();
  const one = new Tab(b, "1");
  one.type("x");
  const copy = new Tab(b, "1", undefined, "y");
  copy.unsent.rename("2");
  copy.knows(new Set(["1", "2"]));
  assert.equal(copy.box, "y");
  assert.deepEqual([...b.map.keys()].sort(), ["vibey.message/p/d/1", "vibey.message/p/d/2"]);
  assert.equal(one.reload().box, "x");
});
