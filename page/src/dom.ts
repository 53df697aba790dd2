// Elements, made in one call: el("p", { class: "note" }, "text", child). Text is always text, never markup.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function replace(parent: Node, ...children: Child[]): void {
  while (parent.firstChild) parent.removeChild(parent.firstChild);
  append(parent, children);
}

let made = 0;
export const uniqueId = (stem: string): string => `${stem}-${++made}`;

export interface TableData {
  head: string[];
  rows: (string | number | Node)[][];
  numeric?: boolean[]; // by column; default: all but the first
}

export function table(data: TableData, caption?: string): HTMLElement {
  const numeric = (column: number) => (data.numeric ? data.numeric[column] : column > 0);
  const cells = (tag: "th" | "td", row: (string | number | Node)[]) =>
    row.map((cell, i) => {
      const heading = tag === "th" || i === 0;
      const attributes: Attributes = { class: numeric(i) ? "number" : undefined };
      if (heading) attributes.scope = tag === "th" ? "col" : "row";
      return el(heading ? "th" : "td", attributes, cell);
    });
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption ?? "table" },
    el(
      "table",
      {},
      caption ? el("caption", { class: "hidden" }, caption) : null,
      el("thead", {}, el("tr", {}, ...cells("th", data.head))),
      el("tbody", {}, ...data.rows.map((row) => el("tr", {}, ...cells("td", row)))),
    ),
  );
}

// A table that starts with its first rows and opens on demand.
export function longTable(data: TableData, caption: string, rows = 12): HTMLElement {
  if (data.rows.length <= rows + 3) return table(data, caption);
  const holder = el("div", {});
  const show = (all: boolean) => {
    const button = el(
      "button",
      { type: "button", class: "quiet", onclick: () => show(!all) },
      all ? "Show fewer" : `Show all ${data.rows.length}`,
    );
    replace(holder, table({ ...data, rows: all ? data.rows : data.rows.slice(0, rows) }, caption), button);
  };
  show(false);
  return holder;
}

export interface Choice {
  value: string;
  label: string;
}

// A drop-down with its label.
export function select(label: string, choices: Choice[], chosen: string, changed: (value: string) => void): HTMLElement {
  const id = uniqueId("select");
  const box = el(
    "select",
    { id, onchange: (event) => changed((event.target as HTMLSelectElement).value) },
    ...choices.map((c) => el("option", { value: c.value, selected: c.value === chosen }, c.label)),
  );
  return el("span", { class: "control" }, el("label", { for: id }, label), box);
}

// A few alternatives side by side: a radio group, so that arrow keys move between them.
export function segmented(label: string, choices: Choice[], chosen: string, changed: (value: string) => void): HTMLElement {
  const name = uniqueId("choice");
  return el(
    "fieldset",
    { class: "segmented" },
    el("legend", {}, label),
    ...choices.map((c) =>
      el(
        "label",
        {},
        el("input", { type: "radio", name, value: c.value, checked: c.value === chosen, onchange: () => changed(c.value) }),
        el("span", {}, c.label),
      ),
    ),
  );
}

export function checkbox(label: string, checked: boolean, changed: (on: boolean) => void): HTMLElement {
  return el(
    "label",
    { class: "control check" },
    el("input", { type: "checkbox", checked, onchange: (event) => changed((event.target as HTMLInputElement).checked) }),
    label,
  );
}
