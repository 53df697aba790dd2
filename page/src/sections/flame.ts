// The predicted flame graph: time of a function and of what it calls, from the counted calls of the profile.
import { card } from "../card";
import { el, select } from "../dom";
import { percent, time } from "../format";
import { briefName } from "../names";
import type { Flame, Frame, PageData } from "../records";

interface Placed {
  frame: Frame;
  depth: number;
  left: number; // share of the root
  width: number;
}

const leastShare = 0.001;

function place(root: Frame): Placed[] {
  const list: Placed[] = [];
  const walk = (frame: Frame, depth: number, left: number) => {
    const width = frame.seconds / root.seconds;
    if (width < leastShare) return;
    list.push({ frame, depth, left, width });
    let at = left;
    for (const child of frame.children ?? []) {
      walk(child, depth + 1, at);
      at += child.seconds / root.seconds;
    }
  };
  walk(root, 0, 0);
  return list;
}

// Boxes are buttons: Tab and arrow keys reach them, Enter makes one the root.
function drawFlame(flame: Flame): HTMLElement {
  const holder = el("div", { class: "flame" });
  const show = (root: Frame) => {
    const placed = place(root);
    const deepest = Math.max(...placed.map((p) => p.depth));
    holder.style.height = `${(deepest + 1) * 24}px`;
    holder.replaceChildren(
      ...placed.map(({ frame, depth, left, width }) => {
        const title = `${frame.name}: ${time(frame.seconds)} (${percent(frame.seconds / flame.root.seconds)}), itself ${time(frame.self)}`;
        return el(
          "button",
          {
            type: "button",
            class: "frame tone-" + (hash(frame.name) % 6),
            style: `left:${100 * left}%;width:calc(${100 * width}% - 1px);top:${depth * 24}px`,
            title,
            "aria-label": title,
            onclick: () => show(frame === root ? flame.root : frame),
          },
          width > 0.03 ? `${briefName(frame.name)} ${percent(frame.seconds / flame.root.seconds)}` : "",
        );
      }),
    );
  };
  show(flame.root);
  return holder;
}

function hash(text: string): number {
  let h = 7;
  for (const c of text) h = (h * 31 + c.charCodeAt(0)) & 0xffff;
  return h;
}

export function flameCard(data: PageData, program: string): HTMLElement | null {
  const flames = (data.flames ?? []).filter((f) => f.program === program && f.root.seconds > 0);
  if (!flames.length) return null;
  const best = Math.max(0, flames.findIndex((f) => f.model === "icc"));
  const holder = el("div", {}, drawFlame(flames[best]));
  const name = (f: Flame) => `${f.machine} · ${f.model}`;
  return card(
    null,
    el("h4", {}, "Predicted flame graph"),
    el("p", { class: "note" }, "A box is as wide as the time of a function and of all it calls. Press one to look inside, the widest to come back."),
    flames.length > 1
      ? el(
          "div",
          { class: "controls" },
          select("Prediction", flames.map((f, i) => ({ value: String(i), label: name(f) })), String(best), (value) =>
            holder.replaceChildren(drawFlame(flames[Number(value)])),
          ),
        )
      : null,
    holder,
  );
}
