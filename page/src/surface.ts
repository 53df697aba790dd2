// A surface over two parameters, seen from the side or from above: drawn as SVG, turned by dragging or with the arrow
// keys. Charting libraries draw such surfaces with WebGL only, which neither prints nor scales.
import { el, segmented } from "./dom";
import { number, time } from "./format";
import { onThemeChange, palette } from "./theme";

interface AxisValues {
  name: string;
  values: number[];
}

export interface SurfaceOptions {
  title: string;
  x: () => AxisValues;
  y: () => AxisValues;
  z: (x: number, y: number) => number;
  here: () => [number, number];
}

const size = { width: 760, height: 400 };
const svgNamespace = "http://www.w3.org/2000/svg";

function svg(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const element = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

// A colour between those of a scale, at 0..1.
function mix(scale: string[], at: number): string {
  const place = Math.min(0.9999, Math.max(0, at)) * (scale.length - 1);
  const i = Math.floor(place);
  const part = (hex: string, k: number) => parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16);
  const channel = (k: number) => Math.round(part(scale[i], k) + (place - i) * (part(scale[i + 1], k) - part(scale[i], k)));
  return `rgb(${channel(0)},${channel(1)},${channel(2)})`;
}

export function surface(options: SurfaceOptions): { element: HTMLElement; redraw: () => void } {
  let turn = -0.65; // radians around the vertical
  let tilt = 0.5; // of the view: 0 from the side, π/2 from above
  const picture = document.createElementNS(svgNamespace, "svg");
  picture.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  picture.setAttribute("class", "surface");
  picture.setAttribute("tabindex", "0");
  picture.setAttribute("role", "img");

  // Parameters and time are drawn on logarithmic scales, each from -1 to 1 (time from 0 to 1).
  const draw = () => {
    const c = palette();
    const xs = options.x(), ys = options.y();
    const heights = xs.values.map((x) => ys.values.map((y) => Math.log(Math.max(options.z(x, y), 1e-300))));
    const flat = heights.flat().filter((h) => Number.isFinite(h) && h > -600);
    const low = Math.min(...flat), high = Math.max(...flat);
    const scaled = (h: number) => (high > low ? (h - low) / (high - low) : 0.5);
    const along = (list: number[], v: number) => (2 * Math.log(v / list[0])) / Math.log(list[list.length - 1] / list[0]) - 1;
    const sin = Math.sin(turn), cos = Math.cos(turn), up = Math.cos(tilt), down = Math.sin(tilt);
    const project = (x: number, y: number, z: number) => {
      const depth = x * sin + y * cos;
      return { x: size.width / 2 + 180 * (x * cos - y * sin), y: 255 - 55 * Math.sin(tilt) + 150 * down * depth - 165 * up * z, depth };
    };
    const pieces: { depth: number; element: SVGElement }[] = [];
    let top = 0, bottom = size.height; // of what is drawn: the view grows to hold it
    for (let i = 0; i + 1 < xs.values.length; i++)
      for (let j = 0; j + 1 < ys.values.length; j++) {
        const corner = (a: number, b: number) => project(along(xs.values, xs.values[a]), along(ys.values, ys.values[b]), scaled(heights[a][b]));
        const corners = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        for (const p of corners) if (Number.isFinite(p.y)) (top = Math.min(top, p.y - 30)), (bottom = Math.max(bottom, p.y + 30));
        const mean = (heights[i][j] + heights[i + 1][j + 1] + heights[i + 1][j] + heights[i][j + 1]) / 4;
        if (!corners.every((p) => Number.isFinite(p.x + p.y))) continue;
        const fill = mix(c.heat.slice(0), 0.08 + 0.92 * scaled(mean));
        const element = svg("polygon", { points: corners.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(" "), fill, stroke: c.card, "stroke-width": 0.5, "stroke-opacity": 0.6 });
        element.appendChild(svg("title", {}, `${xs.name} = ${number(xs.values[i])}, ${ys.name} = ${number(ys.values[j])}: ${time(Math.exp(heights[i][j]))}`));
        pieces.push({ depth: corners.reduce((s, p) => s + p.depth, 0), element });
      }
    pieces.sort((a, b) => a.depth - b.depth);
    const base = [project(-1, -1, 0), project(1, -1, 0), project(1, 1, 0), project(-1, 1, 0)];
    const floor = svg("polygon", { points: base.map((p) => `${p.x},${p.y}`).join(" "), fill: "none", stroke: c.line });
    const label = (x: number, y: number, text: string, weight = 400) => {
      const p = project(x, y, 0);
      return svg("text", { x: p.x, y: p.y + 14, fill: weight > 400 ? c.ink : c.muted, "font-size": 12, "font-weight": weight, "text-anchor": "middle" }, text);
    };
    const last = (list: number[]) => list[list.length - 1];
    const near = (a: number) => (a > 0 ? 1.14 : -1.14);
    const side = near(cos), front = near(sin);
    const [hereX, hereY] = options.here();
    const inside = hereX >= xs.values[0] && hereX <= last(xs.values) && hereY >= ys.values[0] && hereY <= last(ys.values);
    const spot = project(along(xs.values, hereX), along(ys.values, hereY), scaled(Math.log(options.z(hereX, hereY))));
    picture.setAttribute("viewBox", `0 ${top} ${size.width} ${bottom - top}`);
    picture.replaceChildren(
      floor,
      ...pieces.map((p) => p.element),
      label(-1, side, number(xs.values[0], 3)),
      label(0, side * 1.06, xs.name, 600),
      label(1, side, number(last(xs.values), 3)),
      label(front, -1, number(ys.values[0], 3)),
      label(front * 1.06, 0, ys.name, 600),
      label(front, 1, number(last(ys.values), 3)),
      ...(inside && Number.isFinite(spot.x + spot.y) ? [svg("circle", { cx: spot.x, cy: spot.y, r: 6, fill: c.bad, stroke: c.card, "stroke-width": 2 })] : []),
      svg("text", { x: 12, y: top + 20, fill: c.muted, "font-size": 12 }, `from ${time(Math.exp(low), 3)} (light) to ${time(Math.exp(high), 3)} (${c.dark ? "bright" : "dark"}), logarithmic`),
    );
    picture.setAttribute("aria-label", `Surface of the time over ${xs.name} and ${ys.name}, from ${time(Math.exp(low), 3)} to ${time(Math.exp(high), 3)}`);
  };

  let from: { x: number; y: number } | null = null;
  const turnBy = (dx: number, dy: number) => {
    turn += dx;
    tilt = Math.min(Math.PI / 2, Math.max(0.05, tilt + dy));
    draw();
  };
  picture.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY };
    picture.setPointerCapture(event.pointerId);
  });
  picture.addEventListener("pointermove", (event) => {
    if (!from) return;
    turnBy((from.x - event.clientX) / 120, (event.clientY - from.y) / 160);
    from = { x: event.clientX, y: event.clientY };
  });
  picture.addEventListener("pointerup", () => (from = null));
  picture.addEventListener("keydown", (event) => {
    const step: Record<string, [number, number]> = { ArrowLeft: [0.12, 0], ArrowRight: [-0.12, 0], ArrowUp: [0, -0.08], ArrowDown: [0, 0.08] };
    const by = step[event.key];
    if (!by) return;
    event.preventDefault();
    turnBy(...by);
  });
  onThemeChange(draw);
  const view = segmented("Seen from", [{ value: "side", label: "the side" }, { value: "above", label: "above" }], "side", (value) => {
    (turn = value === "above" ? 0 : -0.65), (tilt = value === "above" ? Math.PI / 2 : 0.5), draw();
  });
  const element = el(
    "figure",
    {},
    el("figcaption", {}, el("h4", {}, options.title), el("p", { class: "note" }, "Drag to turn, or use the arrow keys. The dot is where the sliders stand.")),
    el("div", { class: "controls" }, view),
    picture as unknown as HTMLElement,
  );
  draw();
  return { element, redraw: draw };
}
