// The window as it was built: a larger file is there packed alone.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

/** The bytes of a built file, or undefined where there is none. */
export function built(name) {
  if (existsSync(dist + name)) return readFileSync(dist + name);
  return existsSync(dist + name + ".gz") ? gunzipSync(readFileSync(dist + name + ".gz")) : undefined;
}
