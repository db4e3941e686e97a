// A page in an engine that is driven from outside: what a human does is sent as the
// pointer's and the keyboard's own events. An engine is {navigate, script, act, shot, end}.
import assert from "node:assert/strict";
import { until } from "../e2e/world.mjs";

// The keys of WebDriver that are no letters.
const KEYS = { Space: " ", Enter: "\uE007", Tab: "\uE004", Escape: "\uE00C", Control: "\uE009", Shift: "\uE008", Backspace: "\uE003", ArrowDown: "\uE015", End: "\uE010" };

// place runs in the page: it finds what has that role and name, brings it into view and
// tells where its middle is, or why it can't be used yet.
const place = (role, name, pattern) => {
  const roles = {
    button: "button,[role=button]", link: "a[href]", heading: "h1,h2,h3,h4,h5,h6,[role=heading]",
    textbox: "textarea,input:not([type]),input[type=text],[role=textbox],[role=combobox]", region: "section[aria-label],section[aria-labelledby],[role=region]",
    article: "article", text: "*", option: "[role=option]", menuitem: "[role=menuitem]", alert: "[role=alert]",
  };
  const words = (e) => {
    const seen = e.cloneNode(true);
    for (const h of seen.querySelectorAll("[aria-hidden=true]")) h.remove();
    return seen.textContent;
  };
  const said = (e) => {
    const by = e.getAttribute("aria-labelledby");
    if (by !== null) return by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    if (e.ariaLabel !== null && e.ariaLabel !== undefined) return e.ariaLabel;
    if (e.labels?.length > 0) return e.labels[0].textContent;
    return role === "text" ? [...e.childNodes].filter((c) => c.nodeType === 3).map((c) => c.data).join("") : words(e);
  };
  const fits = (s) => (pattern ? new RegExp(name).test(s) : s === name);
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 0;
  const found = [...document.querySelectorAll(roles[role])].filter((e) => shown(e) && fits(said(e).replace(/\s+/g, " ").trim()));
  if (found.length === 0) return { why: "not there" };
  const e = found[0];
  e.scrollIntoView({ block: "nearest", behavior: "instant" });
  const b = e.getBoundingClientRect();
  const [x, y] = [Math.floor(b.x + Math.min(b.width, innerWidth) / 2), Math.floor(b.y + Math.min(b.height, innerHeight) / 2)];
  const hit = document.elementFromPoint(x, y);
  const usable = hit !== null && (e.contains(hit) || hit.contains(e)) && !e.disabled && e.closest("[data-settling]") === null;
  return { x, y, usable, why: "covered, off or not at rest", text: e.textContent };
};

const errors = () => globalThis.thrown ?? [];

/** Page is the one page of an engine. */
export class Page {
  constructor(engine) { this.engine = engine; }

  /** goto opens an address, and from then on keeps what the page throws. */
  async goto(url) {
    await this.engine.navigate(url);
    await this.watch();
  }

  async watch() {
    await this.engine.script(() => {
      globalThis.thrown ??= [];
      const keep = (e) => globalThis.thrown.push(String(e.reason ?? e.violatedDirective ?? e.message));
      for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"]) addEventListener(kind, keep);
    });
  }

  /** sees waits for what has that role and name: a string, or a pattern. */
  async sees(role, name) {
    const pattern = name instanceof RegExp;
    let last;
    return until(async () => {
      last = await this.engine.script(place, role, pattern ? name.source : name, pattern);
      return last.x === undefined ? undefined : last;
    }, `${role} ${name}`);
  }

  async gone(role, name) {
    await until(async () => (await this.engine.script(place, role, name, false)).x === undefined, `no ${role} ${name}`);
  }

  /** click clicks there once it can be, and stands where it stood a moment before: what asks counts a click only once it rests. */
  async click(role, name) {
    const pattern = name instanceof RegExp;
    let last;
    const at = await until(async () => {
      const was = last;
      last = await this.engine.script(place, role, pattern ? name.source : name, pattern);
      return last.usable && last.x === was?.x && last.y === was.y ? last : undefined;
    }, `${role} ${name} can be clicked`);
    await this.engine.act([{
      type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
      actions: [{ type: "pointerMove", x: at.x, y: at.y }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }],
    }]);
  }

  /** type presses a key for each letter. */
  async type(text) {
    await this.keys([...text].map((c) => (c === "\n" ? KEYS.Enter : c)));
  }

  /** press is one key, with those that are held: "Control+s". */
  async press(keys) {
    const [last, ...held] = keys.split("+").reverse().map((k) => KEYS[k] ?? k);
    await this.engine.act([{ type: "key", id: "keys", actions: [...held.map((value) => ({ type: "keyDown", value })), { type: "keyDown", value: last }, { type: "keyUp", value: last }, ...held.map((value) => ({ type: "keyUp", value }))] }]);
  }

  async keys(values) {
    await this.engine.act([{ type: "key", id: "keys", actions: values.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]) }]);
  }

  script(f, ...args) { return this.engine.script(f, ...args); }

  /** clean fails where the page threw, or asked for what its policy forbids. */
  async clean() { assert.deepEqual(await this.engine.script(errors), [], "the page threw"); }

  async reload() {
    await this.clean();
    await this.engine.navigate(await this.engine.script(() => location.href));
    await this.watch();
  }
}
