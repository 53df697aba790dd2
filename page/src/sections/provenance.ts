// What the report was made from.
import { card, madeBy, section, type Section } from "../card";
import { el, longTable } from "../dom";
import type { MadeBy, PageData } from "../records";

const words: Record<string, string> = { profile_digest: "profile", tree: "use-tree" };

export function provenanceSection(data: PageData): Section {
  const kind = (format: string) => {
    const name = format.replace("perfcast.", "");
    return words[name] ?? name;
  };
  return section(
    "files",
    "Files",
    "What this page was made from. It holds its records and loads nothing from a network.",
    card(
      null,
      longTable(
        {
          head: ["record", "file", "made"],
          numeric: [false, false, false],
          rows: data.records.map((r) => [kind(r.record.format), r.computed ? `computed for this report (${r.file})` : r.file, madeBy(r.record.made_by as MadeBy | undefined)]),
        },
        "Records in this report",
        20,
      ),
      el("p", { class: "note" }, "Made by perfcast " + (data.made_by?.perfcast ?? "") + (data.made_by?.date ? ", " + data.made_by.date.slice(0, 10) : "") + ". Charts by Apache ECharts."),
    ),
  );
}
