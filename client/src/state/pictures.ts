import { addedName, showsPixels } from "../text/added.ts";
import { api } from "./api.ts";
import { download } from "./download.ts";
import { showFile } from "./shownfile.ts";
import { toast } from "./toast.ts";

// What was read of a picture serves whatever shows it in the next moments, such as a text
// that is drawn again while it is written; later it may be another.
const FRESH = 10_000;

/** NoPicture is thrown for a file that is there and can't be shown as a picture. */
export class NoPicture extends Error {}

const read = new Map<string, Promise<Blob>>();

/** bytesOf reads a file of the project by its path, in `deed/` or in `files/`. */
export function bytesOf(project: string, path: string): Promise<Blob> {
  const key = `${project}/${path}`;
  const known = read.get(key);
  if (known !== undefined) return known;
  const bytes = (path.startsWith("files/") ? api.addedFile(project, path) : api.deedFile(project, path.replace(/^deed\//, ""))).then((r) => r.blob());
  const forget = () => void read.delete(key);
  bytes.then(() => setTimeout(forget, FRESH), forget);
  read.set(key, bytes);
  return bytes;
}

/** keepFile downloads a file of files/. */
export function keepFile(project: string, path: string): void { void download(api.addedFile(project, path), addedName(path)); }

/** openFile shows a file of files/ that is a picture, and downloads another. */
export function openFile(project: string, path: string): void {
  bytesOf(project, path).then((b) => (showsPixels(b.type) ? showFile(project, path) : keepFile(project, path)), (e: Error) => toast(e.message));
}

/** drawPicture shows a picture of the project in an img. It throws where it can't be read, or is none. */
export async function drawPicture(img: HTMLImageElement, project: string, path: string): Promise<void> {
  const bytes = await bytesOf(project, path);
  if (path.startsWith("files/") && !showsPixels(bytes.type)) throw new NoPicture();
  const url = URL.createObjectURL(bytes);
  // What is shown needs its address no more.
  const free = () => URL.revokeObjectURL(url);
  img.addEventListener("load", free, { once: true });
  img.addEventListener("error", free, { once: true });
  img.src = url;
}
