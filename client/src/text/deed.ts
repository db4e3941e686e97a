import type { DeedFile } from "../types.ts";

/** Folder is a folder of the deed: its name, its path with a slash at the end, and what it holds. */
export interface Folder {
  name: string;
  path: string;
  folders: Folder[];
  files: { name: string; file: DeedFile }[];
}

/** treeOf makes folders of paths. */
export function treeOf(files: DeedFile[]): Folder {
  const top: Folder = { name: "", path: "", folders: [], files: [] };
  const all = new Map<string, Folder>([["", top]]);
  const folder = (path: string): Folder => {
    let f = all.get(path);
    if (f !== undefined) return f;
    const cut = path.lastIndexOf("/", path.length - 2) + 1;
    f = { name: path.slice(cut, -1), path, folders: [], files: [] };
    all.set(path, f);
    folder(path.slice(0, cut)).folders.push(f);
    return f;
  };
  for (const file of files) {
    const cut = file.path.lastIndexOf("/") + 1;
    folder(file.path.slice(0, cut)).files.push({ name: file.path.slice(cut), file });
  }
  return top;
}

/** firstPage is what is shown where nothing was chosen: the deed's index.html, else its first page. */
export function firstPage(files: DeedFile[]): string | null {
  return (files.find((f) => f.path === "index.html") ?? files.find((f) => /\.html?$/i.test(f.path)))?.path ?? null;
}

/** addressOf is where a file of the deed is shown. */
export function addressOf(preview: string, path: string): string { return preview + path.split("/").map(encodeURIComponent).join("/"); }

/** stampOf changes with any file of the deed. */
export function stampOf(files: DeedFile[]): string { return files.map((f) => `${f.path}/${f.bytes}/${f.mtime}`).join("\n"); }

/** inDeed returns the path within the deed of a path of the project, or null. */
export function inDeed(path: string): string | null { return path.startsWith("deed/") && path.length > 5 ? path.slice(5) : null; }
