// The report page: reads the records embedded in the document, makes a section for each kind there is, and lets the
// reader find a way through them.
import { madeBy, type Section } from "./card";
import { startCharts } from "./chart";
import { el } from "./dom";
import {
  records,
  type Bounds,
  type Choice,
  type Comparison,
  type Dilation,
  type Equation,
  type Gate,
  type Machine,
  type PageData,
  type Prediction,
  type ProfileDigest,
  type UseTree,
  type Validation,
} from "./records";
import { boundsSection } from "./sections/bounds";
import { choiceSection } from "./sections/choice";
import { comparisonSection } from "./sections/comparison";
import { dilationSection } from "./sections/dilation";
import { equationSection } from "./sections/equation";
import { gateSection } from "./sections/gate";
import { machineSection } from "./sections/machine";
import { overviewSection } from "./sections/overview";
import { predictionSection } from "./sections/prediction";
import { profileSection } from "./sections/profile";
import { provenanceSection } from "./sections/provenance";
import { sourceSection } from "./sections/source";
import { treeSection } from "./sections/tree";
import { validationSection } from "./sections/validation";
import { startTheme, toggleTheme } from "./theme";

function sectionsOf(data: PageData): Section[] {
  const predictions = records<Prediction>(data, "prediction");
  const machines = records<Machine>(data, "machine");
  const list: (Section | null)[] = [
    overviewSection(data),
    gateSection(records<Gate>(data, "gate")),
    choiceSection(records<Choice>(data, "choice")),
    comparisonSection(records<Comparison>(data, "comparison")),
    ...predictions.map((p, i) => predictionSection(p, data, `prediction-${i + 1}`)),
    sourceSection(predictions, data),
    boundsSection(records<Bounds>(data, "bounds")),
    equationSection(records<Equation>(data, "equation")),
    treeSection(records<UseTree>(data, "tree")),
    dilationSection(records<Dilation>(data, "dilation")),
    validationSection(records<Validation>(data, "validation")),
    ...machines.map((m, i) => machineSection(m, data, machines, `machine-${i + 1}`)),
    ...records<ProfileDigest>(data, "profile_digest").map((p, i) => profileSection(p, `profile-${i + 1}`)),
    provenanceSection(data),
  ];
  return list.filter((s): s is Section => s !== null);
}

// Marks in the list of contents what is being read.
function followReading(sections: Section[], links: Map<string, HTMLElement>): void {
  const visible = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) entry.isIntersecting ? visible.add(entry.target.id) : visible.delete(entry.target.id);
      const first = sections.find((s) => visible.has(s.id));
      for (const [id, link] of links) id === first?.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
    },
    { rootMargin: "-80px 0px -55% 0px" },
  );
  for (const s of sections) observer.observe(s.element);
}

function start(): void {
  const app = document.getElementById("app") as HTMLElement;
  const data = JSON.parse(document.getElementById("perfcast-data")?.textContent ?? "{}") as PageData;
  startTheme();
  document.title = `${data.title} · perfcast`;
  const sections = sectionsOf(data);
  const links = new Map(sections.map((s) => [s.id, el("a", { href: "#" + s.id }, s.title)]));
  app.append(
    el("a", { class: "skip-link", href: "#main" }, "Skip to the report"),
    el(
      "header",
      {},
      el("div", {}, el("h1", {}, data.title), el("p", { class: "note" }, madeBy(data.made_by))),
      el(
        "div",
        { class: "tools" },
        el("button", { type: "button", onclick: () => toggleTheme() }, "Light / dark"),
        el("button", { type: "button", onclick: () => print() }, "Print"),
      ),
    ),
    el("nav", { "aria-label": "Contents" }, el("ul", {}, ...[...links.values()].map((link) => el("li", {}, link)))),
    el("main", { id: "main", tabindex: -1 }, ...sections.map((s) => s.element)),
  );
  startCharts();
  followReading(sections, links);
  document.documentElement.dataset.ready = "true";
}

start();
