// Numbers as people read them. Text rounds; the embedded records do not.

export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
  const text = String(Number(value.toPrecision(digits)));
  return size >= 10000 ? group(text) : text;
}

function group(text: string): string {
  const [whole, part] = text.split(".");
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f") + (part ? "." + part : "");
}

export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return Math.abs(value) < 1e12 ? group(String(Math.round(value))) : number(value);
}

export function time(seconds: number | null | undefined, digits = 4): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  const size = Math.abs(seconds);
  if (size < 5e-13) return "0 s"; // less than any clock or model can mean
  const plain = (value: number) => String(Number(value.toPrecision(digits)));
  if (size < 1e-6) return plain(seconds * 1e9) + " ns";
  if (size < 1e-3) return plain(seconds * 1e6) + " µs";
  if (size < 1) return plain(seconds * 1e3) + " ms";
  if (size < 7200) return plain(seconds) + " s";
  if (size < 2 * 86400) return (seconds / 3600).toFixed(1) + " h";
  return (seconds / 86400).toFixed(1) + " days";
}

export const interval = (i: [number, number] | undefined): string => (i ? `${time(i[0], 3)} – ${time(i[1], 3)}` : "–");

export function percent(fraction: number | null | undefined, sign = false): string {
  if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return "–";
  const value = 100 * fraction;
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1);
  return (sign && value > 0 ? "+" : "") + text.replace("-", "−") + " %";
}

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < 4) (value /= 1024), unit++;
  return `${Number(value.toPrecision(3))} ${units[unit]}`;
}

export const words = (key: string): string => key.replace(/_/g, " ");
