// The window's one Trusted Types policy. Its html is parsed into an inert template, from
// which view/parts/html.ts copies only what a list allows; its one script is the worker that
// the build made.

declare const LIVE_WORKER: string;

interface Policy { createHTML(html: string): string; createScriptURL(url: string): string }
interface Factory { createPolicy(name: string, rules: Policy): Policy }

const rules: Policy = {
  createHTML: (html) => html,
  createScriptURL: () => LIVE_WORKER,
};

const policy = (globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy("vibey", rules) ?? rules;

/** inert parses html into a template: nothing of it runs or loads. */
export function inert(html: string): HTMLTemplateElement {
  const out = document.createElement("template");
  out.innerHTML = policy.createHTML(html);
  return out;
}

/** workerURL is the address of the shared worker. */
export function workerURL(): string { return policy.createScriptURL(LIVE_WORKER); }
