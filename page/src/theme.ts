// Light and dark: the user's system decides until the button is pressed. Charts ask for the colours of the moment.

export interface Palette {
  dark: boolean;
  ink: string;
  muted: string;
  line: string;
  card: string;
  accent: string;
  good: string;
  bad: string;
  series: string[];
  heat: string[];
}

const light: Palette = {
  dark: false,
  ink: "#1b2330",
  muted: "#5a6779",
  line: "#e1e6ed",
  card: "#ffffff",
  accent: "#2a62d6",
  good: "#1d8a5b",
  bad: "#c8372d",
  series: ["#2a62d6", "#e8863a", "#14988c", "#9460c8", "#d64f74", "#7a8f2a", "#3da5d9", "#a06a42", "#5b6b82", "#c9a227"],
  heat: ["#eef3fd", "#bcd1f7", "#7ea4ec", "#2a62d6", "#16337a"],
};

const dark: Palette = {
  dark: true,
  ink: "#e7ecf3",
  muted: "#98a5b8",
  line: "#2b3442",
  card: "#171d27",
  accent: "#7aa5ff",
  good: "#4cc38a",
  bad: "#ff7a6e",
  series: ["#6f9dff", "#f2a15f", "#3fc2b4", "#b991e6", "#f0819f", "#a9c056", "#6cc4ee", "#cc9a72", "#93a3ba", "#e3c45a"],
  heat: ["#1b2536", "#27406f", "#3560b3", "#6f9dff", "#c7daff"],
};

let current = light;
const listeners: (() => void)[] = [];
const remembered = "perfcast-theme";

export const palette = (): Palette => current;
export const onThemeChange = (listener: () => void): void => void listeners.push(listener);

export function applyTheme(name: "light" | "dark"): void {
  current = name === "dark" ? dark : light;
  document.documentElement.dataset.theme = name;
  for (const listener of listeners) listener();
}

function stored(): string | null {
  try {
    return localStorage.getItem(remembered); // refused for some pages opened from disk
  } catch {
    return null;
  }
}

export function startTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const wanted = () => ((stored() ?? (system.matches ? "dark" : "light")) === "dark" ? "dark" : "light");
  applyTheme(wanted());
  system.addEventListener("change", () => applyTheme(wanted()));
  addEventListener("beforeprint", () => applyTheme("light"));
  addEventListener("afterprint", () => applyTheme(wanted()));
}

export function toggleTheme(): void {
  const next = current.dark ? "light" : "dark";
  try {
    localStorage.setItem(remembered, next);
  } catch {
    // not remembered, then
  }
  applyTheme(next);
}
