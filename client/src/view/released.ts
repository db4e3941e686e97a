import { options, type VNode } from "preact";

// Of a vnode, by the names that preact's build gives them: its component (`__c`), its
// children (`__k`); of a component, its vnode (`__v`).
interface Inner extends VNode { __c?: { __v: Inner } | null; __k?: unknown }

/**
 * releaseOld lets preact drop what it drew before. A component that renders again by itself
 * has a new vnode; the old one stays in the props of its parent, and leads by its children
 * to all that was drawn since then, of dialogs too that were closed long ago.
 */
export function releaseOld(): void {
  const before = options.vnode;
  options.vnode = (v: Inner) => {
    before?.(v);
    const old = v.__c?.__v; // only a component that renders again has one here
    if (old !== undefined) queueMicrotask(() => { if (old !== v.__c?.__v) old.__k = null; });
  };
}
