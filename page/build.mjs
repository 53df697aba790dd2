// Builds the page into one self-contained HTML template: node build.mjs [OUTPUT]. The program puts the records where
// the placeholder stands (src/report/page.cc).
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "dist", "report.html");
const largest = 1_500_000; // the page with its records shall stay below 3 MB

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2020"],
    legalComments: "inline",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
  });
  return result.outputFiles[0].text;
}

const [script, style] = await Promise.all([bundle("main.ts"), bundle("style.css")]);
if (/<\/script/i.test(script)) throw new Error("the script would end its own element");
const page = readFileSync(join(here, "src", "index.html"), "utf8")
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => script);
if (page.length > largest) throw new Error(`the template has ${page.length} bytes, more than ${largest}`);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${(page.length / 1000).toFixed(0)} kB`);
