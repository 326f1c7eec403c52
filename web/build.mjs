// Bundles the page into dist/: index.html, assets/main.js, assets/style.css, assets/icon.svg.
import { context, build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";

const options = {
  entryPoints: { main: "src/main.tsx", style: "src/main.css" },
  bundle: true,
  minify: true,
  sourcemap: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "dist/assets",
  logLevel: "warning",
};

await rm("dist", { recursive: true, force: true });
await mkdir("dist/assets", { recursive: true });
await cp("src/index.html", "dist/index.html");
await cp("src/icon.svg", "dist/assets/icon.svg");
if (process.argv.includes("--watch")) {
  await (await context(options)).watch();
} else {
  await build(options);
}
