import { projects as say } from "../text/strings.ts";
import { toast } from "./toast.ts";

/** download keeps what a request gives as a file, under the name that its answer says. */
export async function download(asked: Promise<Response>, name: string): Promise<void> {
  try {
    const res = await asked;
    const said = res.headers.get("Content-Disposition") ?? "";
    const a = document.createElement("a");
    a.href = URL.createObjectURL(await res.blob());
    const coded = /filename\*=UTF-8''([^;]+)/.exec(said)?.[1];
    a.download = coded === undefined ? /filename="([^"]+)"/.exec(said)?.[1] ?? name : decodeURIComponent(coded);
    a.click();
    const without = Number(res.headers.get("Vibey-Left-Out") ?? 0);
    if (without > 0) toast(say.without(without));
    setTimeout(() => URL.revokeObjectURL(a.href), 60_000);
  } catch (e) {
    toast((e as Error).message);
  }
}
