// Bundles the page into dist/: index.html, the worker and manifest beside it, assets/main.js with its later chunks, assets/style.css.
import { context, build } from "esbuild";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";

const common = {
  bundle: true,
  minify: true,
  sourcemap: true,
  target: "es2022",
  logLevel: "warning",
};

const page = {
  ...common,
  entryPoints: { main: "src/main.tsx", style: "src/main.css" },
  format: "esm",
  // What is not needed at first sight is a chunk of its own, loaded when somebody goes there.
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "dist/assets",
  metafile: true,
};

// Beside the index, because a worker may only serve what lies under it.
const worker = { ...common, entryPoints: { worker: "src/worker.ts" }, format: "iife", outdir: "dist" };

/** What the first view needs is asked for with the first line, not when the script before it has been read. */
async function announceChunks(imports) {
  const needed = imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path.replace("dist/", "/"));
  const links = needed.map((path) => `    <link rel="modulepreload" href="${path}" />\n`).join("");
  const document = await readFile("dist/index.html", "utf8");
  await writeFile("dist/index.html", document.replace(/( *<script )/, `${links}$1`));
}

await rm("dist", { recursive: true, force: true });
await mkdir("dist/assets", { recursive: true });
await cp("src/index.html", "dist/index.html");
await cp("src/manifest.webmanifest", "dist/manifest.webmanifest");
await cp("src/icons", "dist/assets", { recursive: true });
if (process.argv.includes("--watch")) {
  await Promise.all([page, worker].map(async (options) => (await context(options)).watch()));
} else {
  const [{ metafile }] = await Promise.all([page, worker].map((options) => build(options)));
  await announceChunks(metafile.outputs["dist/assets/main.js"].imports);
}
