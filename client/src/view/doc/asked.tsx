import { useEffect, useMemo } from "preact/hooks";
import { Ask } from "../../state/ask.ts";
import type { ModelChoice } from "../../state/dialog.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { loadModels, models } from "../../state/project.ts";
import { lastChoice } from "../parts/modelpicker.tsx";
import { AskField } from "./askfield.tsx";

/** Asked is the field that asks about passages of a doc. */
export function Asked({ doc }: { doc: OpenDoc }) {
  const ask = useMemo(() => new Ask(doc, choose), [doc]);
  useEffect(() => () => ask.close(), [ask]);
  return <AskField ask={ask} />;
}

/** choose returns who answers in a new dialog. */
export async function choose(): Promise<ModelChoice> {
  if (models.peek() === null) await loadModels();
  return lastChoice();
}
