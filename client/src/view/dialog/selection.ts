/**
 * selectionIn reads which words of an element are selected. It returns what selects the
 * same words in another element, or null where nothing is selected there. Blanks don't
 * count: the same text may be parted into lines in another way.
 */
export function selectionIn(from: Element): ((to: Element) => void) | null {
  const s = getSelection();
  if (s === null || s.isCollapsed || !s.anchorNode || !s.focusNode) return null;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = s;
  const anchor = countTo(from, anchorNode, anchorOffset), focus = countTo(from, focusNode, focusOffset);
  if (anchor === null && focus === null) return null;
  const backward = anchor !== null && focus !== null ? anchor > focus : anchor === null ? follows(anchorNode, from) : follows(from, focusNode);
  return (to) => {
    const a = anchor === null ? { node: anchorNode, offset: anchorOffset } : pointAt(to, anchor, !backward);
    const f = focus === null ? { node: focusNode, offset: focusOffset } : pointAt(to, focus, backward);
    if (a && f && a.node.isConnected && f.node.isConnected) getSelection()?.setBaseAndExtent(a.node, a.offset, f.node, f.offset);
  };
}

function follows(a: Node, b: Node): boolean { return (b.compareDocumentPosition(a) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0; }

// How many characters that are no blanks stand before a point of an element; null where it lies outside.
function countTo(el: Element, node: Node, offset: number): number | null {
  if (!el.contains(node)) return null;
  const before = document.createRange();
  before.setStart(el, 0);
  before.setEnd(node, offset);
  return before.toString().replace(/\s/g, "").length;
}

// The point behind n such characters: right before the next one where a selection begins there, else right behind the last.
function pointAt(el: Element, n: number, begins: boolean): { node: Node; offset: number } | null {
  const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  let left = begins ? n + 1 : n;
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const { index } of (node.nodeValue ?? "").matchAll(/\S/g)) {
      if (--left === 0) return { node, offset: begins ? index : index + 1 };
    }
  }
  return null;
}
