// Builds src/ into dist/: the module entry under the name that the contract
// gives, chunks and styles under hashed names, and the shell that names them. A
// file that is worth it stands there in gzip alone: the server, which has it in it,
// unpacks it for a client that takes no gzip.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = join(here, "dist");

await mkdir(out, { recursive: true });
for (const name of await readdir(out)) {
  if (name !== "README") await rm(join(out, name), { recursive: true });
}

// The diff needs one function of a package that is otherwise the editor's. It is
// taken out alone, so that the first page does not load the editor with it.
const diffAlone = {
  name: "diff-alone",
  setup(b) {
    const ours = join(here, "src/text/finediff.ts");
    b.onResolve({ filter: /^@codemirror\/merge$/ }, (a) => (a.importer === ours ? { path: a.path, namespace: "diff" } : null));
    b.onLoad({ filter: /./, namespace: "diff" }, async () => {
      const one = { contents: `export { presentableDiff } from "@codemirror/merge"`, resolveDir: here };
      const alone = await build({ stdin: one, bundle: true, format: "esm", write: false, logLevel: "warning" });
      return { contents: alone.outputFiles[0].text };
    });
  },
};

// All strings are in one file. Each part of the window is given its own alone, and imports what it is joined with.
const stringsApart = (joined = new Map()) => ({
  name: "strings-apart",
  setup(b) {
    const file = join(here, "src/text/strings.ts");
    const others = { name: "others", setup: (o) => o.onResolve({ filter: /^\.\// }, (a) => (a.kind === "entry-point" || a.importer !== file ? null : { path: join(here, "src/text", a.path), external: true })) };
    b.onLoad({ filter: /\.[jt]sx?$/ }, async ({ path }) => {
      const more = joined.get(relative(here, path).replaceAll("\\", "/"));
      if (more === undefined && !/[\\/]client[\\/]src[\\/]/.test(path)) return null;
      const text = await readFile(path, "utf8") + "\n" + (more ?? []).map((f) => `import ${JSON.stringify(f)};`).join("");
      const contents = text.replace(/^import \{([^}]*)\} from "[./]*(?:text\/)?strings\.ts";$/m, (_, names) =>
        names.split(",").map((n) => `import {${n}} from "strings:${n.trim().split(" ")[0]}";`).join(" "));
      return { contents, loader: extname(path).slice(1) };
    });
    b.onResolve({ filter: /^strings:/ }, (a) => ({ path: a.path.slice("strings:".length), namespace: "strings", sideEffects: false }));
    b.onLoad({ filter: /./, namespace: "strings" }, async ({ path }) => {
      const one = { contents: `export { ${path} } from "./src/text/strings.ts"`, resolveDir: here };
      const alone = await build({ stdin: one, bundle: true, format: "esm", write: false, logLevel: "warning", plugins: [others] });
      return { contents: alone.outputFiles[0].text, resolveDir: here };
    });
  },
});

// Of what parts share esbuild makes a file for each set of parts that share it, 60 in all.
// So a part that needs some of a group below is made to import all of the group, which
// makes one file of it. A first build finds what belongs to each.
function joins({ inputs: files, outputs }) {
  const inputs = (o, all = new Set(), seen = new Set()) => {
    if (seen.has(o)) return all;
    seen.add(o);
    for (const f of Object.keys(outputs[o].inputs)) all.add(f);
    for (const i of outputs[o].imports) if (i.kind === "import-statement") inputs(i.path, all, seen);
    return all;
  };
  const entries = new Map(Object.keys(outputs).filter((o) => outputs[o].entryPoint !== undefined).map((o) => [outputs[o].entryPoint, inputs(o)]));
  const of = (file) => [...entries.get(file)].filter((f) => f !== file);
  const by = (f) => [...entries].filter(([, all]) => all.has(f)).map(([e]) => e);
  const shared = [...new Set([...entries.values()].flatMap((all) => [...all]))].filter((f) => !entries.has(f) && by(f).length > 1);
  const ours = (e) => /^src\/(main|view|state)/.test(e);
  // The shell, the reader of code, the editor, what the docs share with others, and what the others share.
  const placed = new Set();
  const groups = [of("src/main.tsx"), of("src/editor/highlight.ts"), of("src/editor/editor.ts"), of("src/view/doc/docs.tsx"), shared.filter((f) => by(f).some(ours))]
    .map((all) => all.filter((f) => shared.includes(f) && !placed.has(f) && placed.add(f)));
  entries.delete("src/main.tsx");
  const group = (f) => groups.find((g) => g.includes(f));
  const join = (g, to = new Set()) => {
    if (g === undefined || to.has(g)) return to;
    to.add(g);
    for (const f of g) for (const i of files[f].imports) if (i.kind === "import-statement") join(group(i.path), to);
    return to;
  };
  const named = (f) => (f.includes(":") ? f : resolve(here, f));
  return new Map([...entries].map(([file, all]) => {
    const to = new Set();
    for (const f of all) join(group(f), to);
    return [file, [...to].flat().filter((f) => f !== file).map(named)];
  }));
}

const common = { bundle: true, minify: true, outdir: out, absWorkingDir: here, legalComments: "none", logLevel: "warning", metafile: true };
// The worker's name changes with its bytes: tabs of an older window keep the older one.
const worker = await build({
  ...common,
  entryPoints: { live: join(here, "src/live/worker.ts") },
  entryNames: "assets/[name]-[hash]",
  format: "iife",
  target: "es2022",
});
const live = basename(Object.keys(worker.metafile.outputs)[0]);
const options = {
  ...common,
  define: { LIVE_WORKER: JSON.stringify(`/assets/${live}`) },
  entryPoints: { "vibey-client": join(here, "src/main.tsx") },
  format: "esm",
  splitting: true,
  target: "es2022",
  chunkNames: "assets/[name]-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
};
const apart = await build({ ...options, write: false, plugins: [diffAlone, stringsApart()] });
const script = await build({ ...options, logOverride: { "ignored-bare-import": "silent" }, plugins: [diffAlone, stringsApart(joins(apart.metafile))] });
// light-dark() and nesting are kept: every browser with trusted types has them.
const css = await build({
  ...common,
  entryPoints: { style: join(here, "src/css/index.css") },
  entryNames: "assets/[name]-[hash]",
  target: ["chrome123", "firefox128", "safari18"],
});

const sheet = basename(Object.keys(css.metafile.outputs).find((f) => f.endsWith(".css")));
await copyFile(join(here, "src/icon.svg"), join(out, "assets/icon.svg"));
// The chunks that the entry can't do without are named in the shell, so that they come beside it and not behind it.
const preloads = script.metafile.outputs[Object.keys(script.metafile.outputs).find((f) => basename(f) === "vibey-client.js")].imports
  .filter((i) => i.kind === "import-statement")
  .map((i) => `<link rel="modulepreload" href="/assets/${basename(i.path)}">`);
const shell = await readFile(join(here, "src/index.html"), "utf8");
const icon = "data:image/svg+xml," + encodeURIComponent((await readFile(join(here, "src/icon.svg"), "utf8")).trim());

// The server gives a browser a file in gzip if it takes that. The shell is not packed:
// each answer with it differs by its nonce.
for (const dir of [out, join(out, "assets")]) {
  for (const name of await readdir(dir)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const file = join(dir, name);
    const bytes = await readFile(file);
    if (bytes.length < 1024) continue;
    await writeFile(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
    await rm(file);
  }
}

// It comes last: where it is, the rest is there too.
await writeFile(join(out, "index.html"), shell.replace("__SHEET__", sheet).replace("__ICON__", icon).replace("</head>", [...preloads, "</head>"].join("\n")));
