// Looks at the page in a real browser: node browser.mjs TEMPLATE [PAGE...] [--pictures FOLDER]
// The template is filled with a sample of every record; pages are reports as the program wrote them. Exit 0: all
// holds; 1: something does not; 77: no browser here, so nothing was tested.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const words = process.argv.slice(2);
const at = words.indexOf("--pictures");
const pictures = at >= 0 ? words.splice(at, 2)[1] : null;
const [template, ...pages] = words;

const skip = (why) => (console.log("skipped: " + why), process.exit(77));
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!executablePath) skip("no Chromium; apt-get install chromium");
const { chromium } = await import("playwright-core").catch(() => skip("playwright-core is not installed; npm ci in page/"));
const { sample } = await import("./sample.mjs");

const failures = [];
const check = (what, holds) => {
  console.log((holds ? "ok    " : "FAILS ") + what);
  if (!holds) failures.push(what);
};

const folder = mkdtempSync(join(tmpdir(), "perfcast-page-"));
const samplePage = join(folder, "sample.html");
writeFileSync(samplePage, readFileSync(template, "utf8").replace("@PERFCAST_DATA@", () => JSON.stringify(sample).replace(/</g, "\\u003c")));

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 820 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => /^https?:/.test(request.url()) && troubles.push("asks the network for " + request.url()));
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.waitForSelector("html[data-ready]", { timeout: 15000 });
  await page.waitForTimeout(400);
  return { page, troubles, close: () => context.close() };
}

// One picture of the first screen and one of every section.
async function picture(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: join(pictures, name + ".png") });
  for (const id of await page.$$eval("main section", (list) => list.map((s) => s.id)))
    await page.locator("#" + id).screenshot({ path: join(pictures, `${name}-${id}.png`) });
}

// Every chart drew something; nothing is wider than the window.
async function looksWhole(page, name) {
  const charts = await page.$$eval(".chart", (list) => list.map((c) => ({ label: c.getAttribute("aria-label"), drawn: c.querySelectorAll("svg path, svg text").length })));
  check(`${name}: ${charts.length} charts are drawn and labelled`, charts.length > 0 && charts.every((c) => c.drawn > 2 && c.label));
  const text = await page.evaluate(() => document.body.innerText);
  check(`${name}: no NaN or undefined is shown`, !/\bNaN\b|\bundefined\b|\[object/.test(text));
  check(`${name}: nothing sticks out to the right`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
}

{
  const { page, troubles, close } = await open(samplePage);
  await looksWhole(page, "sample");
  for (const id of ["overview", "prediction-1", "source", "bounds", "equation", "tree", "dilation", "validation", "machine-1", "profile-1", "gate", "choice", "comparison", "files"])
    check(`sample: section ${id}`, (await page.locator("#" + id).count()) === 1);
  await picture(page, "sample-light");

  // The measured time stands where it is: here on the dot of a prediction that is exactly right.
  const apart = await page.evaluate(() => {
    const svg = document.querySelector("#prediction-1 .chart svg");
    const middle = (e) => { const box = e.getBoundingClientRect(); return box.left + box.width / 2; };
    const label = [...svg.querySelectorAll("text")].find((t) => t.textContent.startsWith("measured"));
    const dot = [...svg.querySelectorAll("path")].find((p) => { const box = p.getBoundingClientRect(); return box.width > 8 && box.width < 15 && Math.abs(box.width - box.height) < 1; });
    return label && dot ? Math.abs(middle(label) - middle(dot)) : null;
  });
  check(`the measured time is drawn where it belongs (${apart} pixels off)`, apart !== null && apart < 2);

  check("names of templates are brief", (await page.locator("#profile-1").innerText()).includes("std::vector<…>::push_back\t"));

  // Sliders change numbers, and to what the equation says.
  const shown = () => page.locator("#equation output").innerText();
  const before = await shown();
  await page.locator('#equation input[type="range"]').first().focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowRight");
  check("a slider changes the time", (await shown()) !== before);
  const exact = async (index, value) => {
    await page.locator("#equation input.exact").nth(index).fill(String(value));
    await page.keyboard.press("Tab");
  };
  await exact(0, 1000), await exact(1, 4), await exact(2, 0.001);
  check("the equation is evaluated rightly", (await shown()) === "309 ms"); // 0.3 + 0.008 + 0.001
  const surface = page.locator("#equation svg.surface");
  const drawn = await surface.innerHTML();
  await surface.focus(), await page.keyboard.press("ArrowLeft");
  check("the surface turns with the arrow keys", (await surface.innerHTML()) !== drawn);

  // Breakdowns and models change with their controls.
  const bars = () => page.locator("#prediction-1 .card").nth(1).locator(".chart").innerHTML();
  const resources = await bars();
  await page.locator("#prediction-1 .segmented label", { hasText: "function" }).first().click();
  await page.waitForTimeout(300);
  check("the breakdown changes", (await bars()) !== resources);
  await page.locator("#validation .segmented label", { hasText: "hllc" }).first().click();
  await page.locator("#machine-1 select").first().selectOption("reference");
  check("the machine is compared with another one", (await page.locator("#machine-1").innerText()).includes("reference takes"));
  await page.locator("#source input[type=checkbox]").check();
  check("hot lines only", (await page.locator("#source .listing tbody tr").count()) < 10);

  // The keyboard reaches everything: first the way past the list of contents.
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  await page.keyboard.press("Tab");
  check("the first key press offers to skip to the report", (await page.evaluate(() => document.activeElement?.className)) === "skip-link");
  const unnamed = await page.$$eval("button, select, input, a[href]", (list) => list.filter((e) => !(e.innerText?.trim() || e.getAttribute("aria-label") || e.labels?.length)).map((e) => e.outerHTML.slice(0, 80)));
  check("every control has a name " + unnamed.join(" "), unnamed.length === 0);
  await page.getByRole("button", { name: "Light / dark" }).click();
  check("the button turns it dark", (await page.evaluate(() => document.documentElement.dataset.theme)) === "dark");
  await page.waitForTimeout(300);
  await picture(page, "sample-dark");
  check("sample: no trouble in the console " + troubles.join("; "), troubles.length === 0);
  await close();
}

{
  const { page, troubles, close } = await open(samplePage, { viewport: { width: 420, height: 800 }, colorScheme: "dark" });
  check("the system's wish for dark is heard", (await page.evaluate(() => document.documentElement.dataset.theme)) === "dark");
  await looksWhole(page, "narrow");
  await page.emulateMedia({ media: "print" });
  const paper = await page.pdf({ format: "A4" });
  check("it prints", paper.length > 20000);
  if (pictures) writeFileSync(join(pictures, "sample.pdf"), paper);
  check("narrow: no trouble in the console " + troubles.join("; "), troubles.length === 0);
  await close();
}

for (const file of pages) {
  const { page, troubles, close } = await open(file);
  await looksWhole(page, file);
  check(`${file}: no trouble in the console ` + troubles.join("; "), troubles.length === 0);
  await picture(page, "page-" + pages.indexOf(file));
  await close();
}

await browser.close();
rmSync(folder, { recursive: true });
console.log(failures.length ? `${failures.length} failed` : "all hold");
process.exit(failures.length ? 1 : 0);
