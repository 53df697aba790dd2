// The source with the predicted time of every line.
import { card, section, type Section } from "../card";
import { checkbox, el, select } from "../dom";
import { count, percent, time } from "../format";
import type { ModelPrediction, PageData, Part, Prediction, SourceText } from "../records";

const words =
  /(\/\/.*$|^\s*!.*$|\/\*.*?\*\/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(\d[\w.]*)\b|\b(auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|extern|float|for|if|inline|int|long|namespace|new|return|short|signed|sizeof|static|struct|switch|template|typedef|typename|unsigned|using|void|volatile|while|call|common|dimension|end|enddo|endif|function|implicit|integer|parameter|program|real|subroutine|then|write|goto|module|use|contains|intent|allocate)\b/gi;

// Enough colour to read by; a full grammar is not the aim.
function coloured(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let last = 0;
  for (const found of text.matchAll(words)) {
    const at = found.index ?? 0;
    if (at > last) parts.push(text.slice(last, at));
    const kind = found[1] !== undefined ? (/^["']/.test(found[1]) ? "string" : "comment") : found[2] !== undefined ? "literal" : "keyword";
    parts.push(el("span", { class: kind }, found[0]));
    last = at + found[0].length;
  }
  if (last < text.length) parts.push(text.slice(last));
  return parts;
}

const leastShare = 0.0005; // of the time; lines below it show none

interface Line {
  file: string;
  line: number;
  part: Part;
}

function linesOf(p: ModelPrediction): Line[] {
  return (p.views?.line ?? []).flatMap((part) => {
    const at = part.name.lastIndexOf(":");
    return at > 0 ? [{ file: part.name.slice(0, at), line: Number(part.name.slice(at + 1)), part }] : [];
  });
}

function listing(file: string, sources: SourceText[], lines: Line[], total: number, onlyHot: boolean): HTMLElement {
  const times = new Map(lines.filter((l) => l.file === file).map((l) => [l.line, l.part]));
  const largest = Math.max(...[...times.values()].map((p) => p.seconds), Number.MIN_VALUE);
  const texts = new Map<number, string>();
  for (const piece of sources.filter((s) => s.file === file && s.text !== undefined))
    (piece.text as string).split("\n").forEach((text, i) => texts.set(piece.first_line + i, text));
  const hot = (n: number) => (times.get(n)?.seconds ?? 0) > 0;
  const near = (n: number) => [-2, -1, 0, 1, 2].some((d) => hot(n + d));
  const numbers = [...new Set([...texts.keys(), ...times.keys()])].sort((a, b) => a - b).filter((n) => !onlyHot || near(n));
  const rows: HTMLElement[] = [];
  let last = 0;
  for (const n of numbers) {
    if (last && n > last + 1) rows.push(el("tr", { class: "skip" }, el("td", { colspan: 4 }, "⋯")));
    last = n;
    const part = times.get(n);
    const share = part ? part.seconds / total : 0;
    const warmth = part && part.seconds > 0 ? Math.sqrt(part.seconds / largest) : 0;
    rows.push(
      el(
        "tr",
        { id: part ? `line-${file}:${n}` : undefined, style: warmth ? `--warmth:${warmth.toFixed(3)}` : undefined, class: warmth ? "warm" : undefined },
        el("td", { class: "time" }, part && share >= leastShare ? time(part.seconds, 3) : ""),
        el("td", { class: "share" }, part && share >= leastShare ? percent(share) : "", part ? el("span", { class: "heat", style: `width:${(100 * part.seconds) / largest}%` }) : null),
        el("th", { scope: "row", title: part?.count ? `executed ${count(part.count)} times` : undefined }, String(n)),
        el("td", { class: "code" }, el("code", {}, ...coloured(texts.get(n) ?? "")))
      ),
    );
  }
  const shown = el(
    "div",
    { class: "scroll listing", tabindex: 0, role: "region", "aria-label": `${file} with predicted times` },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...["time", "share", "line", "source"].map((h) => el("th", { scope: "col" }, h)))),
      el("tbody", {}, ...rows),
    ),
  );
  // Long files open where their time goes.
  requestAnimationFrame(() => {
    const hottest = rows.find((row) => row.style.getPropertyValue("--warmth") === "1.000");
    if (hottest) shown.scrollTop = hottest.offsetTop - shown.clientHeight / 3;
  });
  return shown;
}

function sourceCard(prediction: Prediction, data: PageData): HTMLElement | null {
  const answers = prediction.predictions.filter((p) => linesOf(p).length && p.model !== "ct");
  if (!answers.length) return null;
  let chosen = answers.find((p) => p.model === "icc") ?? answers[0];
  const sources = data.sources ?? [];
  const filesOf = () => {
    const sums = new Map<string, number>();
    for (const l of linesOf(chosen)) sums.set(l.file, (sums.get(l.file) ?? 0) + l.part.seconds);
    const matters = ([file, seconds]: [string, number]) => seconds >= leastShare * chosen.seconds || sources.some((s) => s.file === file);
    return [...sums].filter(matters).sort((a, b) => b[1] - a[1]).map(([file]) => file);
  };
  const known = (list: string[]) => list.find((f) => sources.some((s) => s.file === f && s.text !== undefined)) ?? list[0];
  let file = known(filesOf());
  let onlyHot = false;
  const holder = el("div", {});
  const controls = el("div", { class: "controls" });
  const renew = () => {
    const files = filesOf();
    if (!files.includes(file)) file = known(files);
    const text = sources.some((s) => s.file === file && s.text !== undefined);
    controls.replaceChildren(
      ...(answers.length > 1
        ? [select("Prediction", answers.map((p, i) => ({ value: String(i), label: `${p.machine} · ${p.model}` })), String(answers.indexOf(chosen)), (v) => ((chosen = answers[Number(v)]), renew()))]
        : []),
      ...(files.length > 1 ? [select("File", files.map((f) => ({ value: f, label: f })), file, (v) => ((file = v), renew()))] : []),
      checkbox("Only lines that take time", onlyHot, (on) => ((onlyHot = on), renew())),
    );
    holder.replaceChildren(
      ...(text ? [] : [el("p", { class: "note" }, "The text of this file was not at hand when the report was made; its lines are shown by number.")]),
      listing(file, sources, linesOf(chosen), chosen.seconds || 1, onlyHot),
    );
  };
  renew();
  return card(prediction.program, controls, holder);
}

export function sourceSection(predictions: Prediction[], data: PageData): Section | null {
  const cards = predictions.map((p) => sourceCard(p, data)).filter((c): c is HTMLElement => c !== null);
  if (!cards.length) return null;
  return section("source", "Source, line by line", "Predicted time of every line of the program.", ...cards);
}
