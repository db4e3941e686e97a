// Builds src/ into dist/: the module entry under the name that the contract
// gives, chunks and styles under hashed names, and the shell that names them. A
// file that is worth it stands there in gzip alone: the server, which has it in it,
// unpacks it for a client that takes no gzip.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
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

// All strings are in one file. Each part of the window is given its own alone.
const stringsApart = {
  name: "strings-apart",
  setup(b) {
    const file = join(here, "src/text/strings.ts");
    const others = { name: "others", setup: (o) => o.onResolve({ filter: /^\.\// }, (a) => (a.kind === "entry-point" || a.importer !== file ? null : { path: join(here, "src/text", a.path), external: true })) };
    b.onLoad({ filter: /[\\/]client[\\/]src[\\/].*\.tsx?$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text.replace(/^import \{([^}]*)\} from "[./]*(?:text\/)?strings\.ts";$/m, (_, names) =>
        names.split(",").map((n) => `import {${n}} from "strings:${n.trim().split(" ")[0]}";`).join(" "));
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
    });
    b.onResolve({ filter: /^strings:/ }, (a) => ({ path: a.path.slice("strings:".length), namespace: "strings", sideEffects: false }));
    b.onLoad({ filter: /./, namespace: "strings" }, async ({ path }) => {
      const one = { contents: `export { ${path} } from "./src/text/strings.ts"`, resolveDir: here };
      const alone = await build({ stdin: one, bundle: true, format: "esm", write: false, logLevel: "warning", plugins: [others] });
      return { contents: alone.outputFiles[0].text, resolveDir: here };
    });
  },
};

const common = { bundle: true, minify: true, outdir: out, legalComments: "none", logLevel: "warning", metafile: true };
// The worker's name changes with its bytes: tabs of an older window keep the older one.
const worker = await build({
  ...common,
  entryPoints: { live: join(here, "src/live/worker.ts") },
  entryNames: "assets/[name]-[hash]",
  format: "iife",
  target: "es2022",
});
const live = basename(Object.keys(worker.metafile.outputs)[0]);
const script = await build({
  ...common,
  define: { LIVE_WORKER: JSON.stringify(`/assets/${live}`) },
  entryPoints: { "vibey-client": join(here, "src/main.tsx") },
  format: "esm",
  splitting: true,
  target: "es2022",
  chunkNames: "assets/[name]-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [diffAlone, stringsApart],
});
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
await writeFile(join(out, "index.html"), shell.replace("__SHEET__", sheet).replace("</head>", [...preloads, "</head>"].join("\n")));
