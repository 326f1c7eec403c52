// Runs the tests of the page's own logic in Node: each is bundled with what it is about, the browser left out.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = await mkdtemp(join(tmpdir(), "prime-page-"));
const tests = (await readdir("test")).filter((name) => name.endsWith(".test.ts")).map((name) => join("test", name));
try {
  await build({
    entryPoints: tests,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { window: "globalThis" },
    logLevel: "warning",
  });
  const files = (await readdir(folder)).map((name) => join(folder, name));
  process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  await rm(folder, { recursive: true });
}
