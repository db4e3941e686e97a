import { useSignal } from "@preact/signals";
import { toast } from "../../state/toast.ts";

/** useAct returns act, which runs what it is given and shows in a toast why that failed, and busy, which is true meanwhile. */
export function useAct() {
  const busy = useSignal(false);
  const act = async (what: () => Promise<unknown>): Promise<void> => {
    busy.value = true;
    try {
      await what();
    } catch (e) {
      toast((e as Error).message);
    } finally {
      busy.value = false;
    }
  };
  return { act, busy };
}

/** useForm is useAct for a form that goes when it succeeds: busy stays true then. Why it failed is in error, for the form to show. */
export function useForm() {
  const busy = useSignal(false), error = useSignal("");
  const act = async (what: () => Promise<unknown>): Promise<void> => {
    busy.value = true;
    error.value = "";
    try {
      await what();
    } catch (e) {
      error.value = (e as Error).message;
      busy.value = false;
    }
  };
  return { act, busy, error };
}
