import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { toast } from "../../state/toast.ts";
import { app } from "../../text/strings.ts";

/** later is a component whose code is a chunk; while that comes, its place is empty. preload loads it. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>) {
  const part = signal<ComponentType<P> | null>(null);
  const failed = signal(false);
  let loading: Promise<void> | null = null;
  const preload = (): Promise<void> =>
    (loading ??= load().then(
      (p) => { part.value = p; },
      () => { failed.value = true; }, // the server was replaced by another version, or is gone
    ));
  function Later(props: P) {
    void preload();
    if (failed.value) return <main class="pane empty"><div role="alert"><p>{app.partMissing}</p><p><button onClick={() => location.reload()}>{app.reload}</button></p></div></main>;
    const Part = part.value;
    return Part === null ? <main class="pane" /> : <Part {...props} />;
  }
  return Object.assign(Later, { preload });
}

/** above is a part that opens above the others, with its code. */
export function above<P extends { onClose: () => void }>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const part = signal<ComponentType<P> | null>(null);
  return function Above(props: P) {
    useEffect(() => {
      if (part.peek() === null) load().then((p) => { part.value = p; }, () => {
        props.onClose();
        toast(app.notLoaded);
      });
    }, []);
    const Part = part.value;
    return Part === null ? null : <Part {...props} />;
  };
}
