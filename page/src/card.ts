// The frame of a section and of what stands in it.
import { el } from "./dom";
import type { MadeBy } from "./records";

export interface Section {
  id: string;
  title: string; // in the list of contents
  element: HTMLElement;
}

export function section(id: string, title: string, lead: string | null, ...children: (Node | null)[]): Section {
  const element = el(
    "section",
    { id, "aria-labelledby": id + "-title" },
    el("h2", { id: id + "-title", tabindex: -1 }, title),
    lead ? el("p", { class: "lead" }, lead) : null,
    ...children,
  );
  return { id, title, element };
}

export const card = (title: string | null, ...children: (Node | null)[]): HTMLElement =>
  el("div", { class: "card" }, title ? el("h3", {}, title) : null, ...children);

// A number that matters, with what it is.
export function fact(label: string, value: string, detail?: string, tone?: "good" | "bad"): HTMLElement {
  return el(
    "div",
    { class: "fact" },
    el("div", { class: "label" }, label),
    el("div", { class: "value" + (tone ? " " + tone : "") }, value),
    detail ? el("div", { class: "detail" }, detail) : null,
  );
}

export const facts = (...list: (HTMLElement | null)[]): HTMLElement => el("div", { class: "facts" }, ...list);

export function notes(title: string, list: string[], shown = 6): HTMLElement | null {
  if (!list.length) return null;
  const items = (part: string[]) => el("ul", { class: "notes" }, ...part.map((text) => el("li", {}, text)));
  return el(
    "div",
    {},
    el("h4", {}, title),
    items(list.slice(0, shown)),
    list.length > shown
      ? el("details", {}, el("summary", {}, `${list.length - shown} more`), items(list.slice(shown)))
      : null,
  );
}

export function madeBy(by: MadeBy | undefined): string {
  if (!by) return "";
  return [by.date?.replace("T", " ").replace("Z", " UTC"), by.host, by.system, by.compiler, by.perfcast && "perfcast " + by.perfcast]
    .filter(Boolean)
    .join(" · ");
}
