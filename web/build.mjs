// Bundles the page into dist/: index.html, the worker and manifest beside it, assets/main.js with its later chunks, assets/style.css.
import { context, build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";

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
  // Views that are not needed at first sight are chunks of their own, loaded when somebody goes there.
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "dist/assets",
};

// Beside the index, because a worker may only serve what lies under it.
const worker = { ...common, entryPoints: { worker: "src/worker.ts" }, format: "iife", outdir: "dist" };

await rm("dist", { recursive: true, force: true });
await mkdir("dist/assets", { recursive: true });
await cp("src/index.html", "dist/index.html");
await cp("src/manifest.webmanifest", "dist/manifest.webmanifest");
await cp("src/icons", "dist/assets", { recursive: true });
if (process.argv.includes("--watch")) {
  await Promise.all([page, worker].map(async (options) => (await context(options)).watch()));
} else {
  await Promise.all([page, worker].map((options) => build(options)));
}
