/**
 * morph makes el's children those of a fragment and keeps what is there already: a text
 * that is drawn ten times a second keeps its selection, and its pictures do not load anew.
 */
export function morph(el: Element, to: DocumentFragment | Element): void {
  let at: ChildNode | null = el.firstChild;
  let next: ChildNode | null = to.firstChild;
  while (next !== null) {
    const after: ChildNode | null = next.nextSibling;
    if (at === null) el.appendChild(next);
    else if (alike(at, next)) {
      if (at instanceof Element) {
        if (at.tagName !== "IMG") morph(at, next as Element);
      } else rewrite(at as CharacterData, next.nodeValue ?? "");
      at = at.nextSibling;
    } else {
      const old: ChildNode = at;
      at = at.nextSibling;
      el.replaceChild(next, old);
    }
    next = after;
  }
  while (at !== null) {
    const old: ChildNode = at;
    at = at.nextSibling;
    old.remove();
  }
}

// Only what differs is replaced: the browser takes a selection back from what is.
function rewrite(node: CharacterData, now: string): void {
  const old = node.data;
  if (old === now) return;
  const most = Math.min(old.length, now.length);
  let from = 0;
  while (from < most && old[from] === now[from]) from++;
  let same = 0;
  while (same < most - from && old[old.length - 1 - same] === now[now.length - 1 - same]) same++;
  node.replaceData(from, old.length - from - same, now.slice(from, now.length - same));
}

function alike(a: ChildNode, b: ChildNode): boolean {
  if (a.nodeType !== b.nodeType) return false;
  if (!(a instanceof Element) || !(b instanceof Element)) return true;
  if (a.tagName !== b.tagName) return false;
  const names = new Set([...a.getAttributeNames(), ...b.getAttributeNames()]);
  if (a.tagName === "IMG") return ["alt", "data-picture"].every((n) => a.getAttribute(n) === b.getAttribute(n));
  return [...names].every((n) => a.getAttribute(n) === b.getAttribute(n));
}
