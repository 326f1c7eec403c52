// Bundles the page into dist/: index.html, the worker and manifest beside it, and in assets/chunks everything whose name
// carries a hash of its content, so that a browser keeps it for good.
import { context, build } from "esbuild";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const watching = process.argv.includes("--watch");

const common = {
  bundle: true,
  minify: true,
  sourcemap: true,
  target: "es2022",
  // Chinese as it is, not as escapes of twice the size.
  charset: "utf8",
  logLevel: "warning",
};

const page = {
  ...common,
  entryPoints: { main: "src/main.tsx", style: "src/main.css" },
  format: "esm",
  // What is not needed at first sight is a chunk of its own, loaded when somebody goes there.
  splitting: true,
  entryNames: watching ? "[name]" : "chunks/[name]-[hash]",
  chunkNames: "chunks/[name]-[hash]",
  // What the server says in another language is no script: it is fetched when that language is spoken.
  loader: { ".json": "file" },
  assetNames: "chunks/[name]-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "dist/assets",
  metafile: true,
};

const address = (output) => output.replace("dist/", "/");

/** What the first view needs, by the names that were given to it. */
function firstFiles({ outputs }) {
  const entry = (source) => Object.keys(outputs).find((name) => outputs[name].entryPoint === source);
  const main = entry("src/main.tsx");
  const needed = outputs[main].imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => address(path));
  return { main: address(main), style: address(entry("src/main.css")), needed };
}

/** All of it is asked for with the first line, not when the script before it has been read. */
async function nameFiles({ main, style, needed }) {
  const links = needed.map((path) => `    <link rel="modulepreload" href="${path}" />\n`).join("");
  const document = await readFile("dist/index.html", "utf8");
  const named = document.replace("/assets/main.js", main).replace("/assets/style.css", style);
  await writeFile("dist/index.html", named.replace(/( *<script )/, `${links}$1`));
}

/** Beside the index, because a worker may only serve what lies under it. It keeps these files for when Prime is away. */
const worker = (files) => ({
  ...common,
  entryPoints: { worker: "src/worker.ts" },
  format: "iife",
  outdir: "dist",
  define: { FIRST_FILES: JSON.stringify(files) },
});

async function pack() {
  const files = (await readdir("dist", { recursive: true })).filter((name) => /\.(js|css|html|svg|json)$/.test(name));
  await Promise.all(files.map(async (name) => writeFile(join("dist", `${name}.gz`), gzipSync(await readFile(join("dist", name)), { level: 9 }))));
}

await rm("dist", { recursive: true, force: true });
await mkdir("dist/assets", { recursive: true });
await cp("src/index.html", "dist/index.html");
await cp("src/manifest.webmanifest", "dist/manifest.webmanifest");
await cp("src/icons", "dist/assets", { recursive: true });
if (watching) {
  const files = ["/assets/main.js", "/assets/style.css"];
  await Promise.all([page, worker(files)].map(async (options) => (await context(options)).watch()));
} else {
  const { metafile } = await build(page);
  const first = firstFiles(metafile);
  await Promise.all([nameFiles(first), build(worker([first.main, first.style, ...first.needed]))]);
  await pack();
}
