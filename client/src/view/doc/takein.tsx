import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { UnlistedText } from "../../types.ts";
import { afterwards } from "../../state/afterwards.ts";
import { api } from "../../state/api.ts";
import { go } from "../../state/navigation.ts";
import { docTitle, loadFiles, onChange } from "../../state/project.ts";
import { writeRoute } from "../../text/route.ts";
import { takeIn as say } from "../../text/strings.ts";
import { number } from "../../text/time.ts";
import { Reveal } from "../parts/reveal.tsx";

/** How many are shown before all are asked for. */
const FEW = 3;

/** TakeIn tells below the list of docs what lies in the folder and can't be one, and makes docs of it. */
export function TakeIn({ project: p }: { project: string }) {
  const list = useSignal<UnlistedText[]>([]);
  const all = useSignal(false);
  const error = useSignal("");
  useEffect(() => {
    let left = false, asked = 0;
    const load = async () => {
      const mine = ++asked;
      const now = await api.unlisted(p).catch(() => null); // the list of docs says what is wrong
      if (!left && mine === asked && now !== null) list.value = now;
    };
    afterwards(() => void load());
    const stop = onChange((c) => { if (c.kind !== "dialogs") void load(); });
    return () => { left = true; stop(); };
  }, [p]);
  if (list.value.length === 0) return null;
  const take = async (name: string, as: string) => {
    error.value = "";
    try {
      await api.takeIn(p, name, as);
      loadFiles();
      go({ at: "docs", project: p, file: as });
    } catch (e) {
      error.value = (e as Error).message;
    }
  };
  return (
    <section class="take-in" aria-labelledby="take-in">
      <h2 id="take-in">{say.name}</h2>
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <ul>
        {(all.value ? list.value : list.value.slice(0, FEW)).map((u) => (
          <li>
            <b dir="auto"><Reveal text={u.name} /></b>
            {u.in === undefined && u.as !== undefined && <button type="button" aria-label={say.as(u.name, u.as)} title={say.as(u.name, u.as)} onClick={() => void take(u.name, u.as!)}>{say.go}</button>}
            {u.in !== undefined
              ? <span class="quiet">{say.has} <a href={writeRoute({ at: "docs", project: p, file: u.in })}>{docTitle(u.in)}</a>. {say.left}</span>
              : <span class="quiet"><Reveal text={u.why} />.</span>}
          </li>
        ))}
      </ul>
      {!all.value && list.value.length > FEW && <button type="button" class="wide" onClick={() => (all.value = true)}>{say.all(number(list.value.length))}</button>}
    </section>
  );
}
