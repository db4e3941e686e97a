import { api } from "./api.ts";

// What was read of a picture serves whatever shows it in the next moments, such as a text
// that is drawn again while it is written; later it may be another.
const FRESH = 10_000;

const read = new Map<string, Promise<Blob>>();

function bytesOf(project: string, path: string): Promise<Blob> {
  const key = `${project}/${path}`;
  const known = read.get(key);
  if (known !== undefined) return known;
  const bytes = api.deedFile(project, path).then((r) => r.blob());
  const forget = () => void read.delete(key);
  bytes.then(() => setTimeout(forget, FRESH), forget);
  read.set(key, bytes);
  return bytes;
}

/** drawPicture shows a picture of the deed in an img. It throws where it can't be read. */
export async function drawPicture(img: HTMLImageElement, project: string, path: string): Promise<void> {
  const url = URL.createObjectURL(await bytesOf(project, path));
  // What is shown needs its address no more.
  const free = () => URL.revokeObjectURL(url);
  img.addEventListener("load", free, { once: true });
  img.addEventListener("error", free, { once: true });
  img.src = url;
}
