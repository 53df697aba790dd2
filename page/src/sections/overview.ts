// The first screen: the few numbers that answer the question, each with where to read on.
import { fact, facts, section, type Section } from "../card";
import { interval, number, percent, time } from "../format";
import { briefName } from "../names";
import { records, type Bounds, type Choice, type Dilation, type Equation, type PageData, type Prediction, type Validation } from "../records";
import { comparable } from "./prediction";

export function overviewSection(data: PageData): Section | null {
  const list: (HTMLElement | null)[] = [];
  for (const p of records<Prediction>(data, "prediction").slice(0, 4)) {
    const best = p.predictions.find((x) => x.model === "icc") ?? p.predictions.find((x) => x.model !== "ct") ?? p.predictions[0];
    if (!best) continue;
    list.push(fact(`${p.program} on ${best.machine}`, time(best.seconds, 3), `${interval(best.interval)}, by ${best.model}`));
    if (p.measured) {
      const error = best.seconds / p.measured.seconds - 1;
      const same = comparable(best, p);
      list.push(fact("measured", time(p.measured.seconds, 3), same ? `predicted ${percent(error, true)}` : `${p.measured.runs} runs`, same ? (Math.abs(error) <= 0.1 ? "good" : undefined) : undefined));
    }
    const heaviest = best.parts?.[0];
    if (heaviest && best.seconds > 0) list.push(fact("mostly", heaviest.name, percent(heaviest.seconds / best.seconds) + " of the time"));
    const line = best.views?.line?.[0];
    if (line && best.seconds > 0) list.push(fact("hottest line", line.name.split("/").at(-1) as string, percent(line.seconds / best.seconds) + " of the time"));
  }
  for (const c of records<Choice>(data, "choice").slice(0, 1)) {
    const offer = c.offers.find((o) => o.machine === (c.best_value || c.fastest));
    if (offer) list.push(fact(c.best_value ? "most for the money" : "fastest machine", offer.machine, `${time(offer.seconds, 3)}${offer.cost === undefined ? "" : " for " + number(offer.cost, 3)}`));
  }
  for (const b of records<Bounds>(data, "bounds").slice(0, 1)) {
    const loop = b.loops?.[0];
    const end = loop && (loop.measured ?? loop.window ?? loop.macs);
    if (loop && typeof loop.ma === "number" && typeof end === "number" && loop.ma > 0)
      list.push(fact(`loop ${briefName(loop.function)}${loop.line ? ":" + loop.line : ""}`, `${number(end / loop.ma, 3)} ×`, "what its operations alone would need"));
  }
  for (const e of records<Equation>(data, "equation").slice(0, 1)) {
    const names = e.parameters ?? [];
    if (names.length) list.push(fact("equation", `T(${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""})`, "with sliders below"));
  }
  for (const d of records<Dilation>(data, "dilation").slice(0, 1))
    if (d.verdict) list.push(fact("faster network?", d.verdict, d.explanation?.slice(0, 90)));
  for (const v of records<Validation>(data, "validation").slice(0, 1)) {
    const s = v.models?.icc ?? Object.values(v.models ?? {})[0];
    if (s) list.push(fact(`error on ${v.machine}`, percent(s.median), `median; mean ${percent(s.mape)}; intervals held ${percent(s.coverage)}`));
  }
  if (!list.length) return null;
  return section("overview", "Overview", null, facts(...list));
}
