// Names of C++ functions as tables and charts can hold them: result type and parameters go first, then template
// arguments, then the beginning. Titles keep the whole name.

// Pieces of a name with the depth of brackets around them; an operator's signs are one piece with it.
function pieces(name: string): { text: string; depth: number }[] {
  const list: { text: string; depth: number }[] = [];
  let depth = 0;
  for (const [text] of name.matchAll(/\boperator(?:\(\)|\[\]|[<>=!+\-*/%^&|~,]+)|[^]/g)) {
    if (text === ">" || text === ")" || text === "}") depth--;
    list.push({ text, depth });
    if (text === "<" || text === "(" || text === "{") depth++;
  }
  return list;
}

function withoutSignature(name: string): string {
  let kept = "";
  const list = pieces(name);
  for (let i = 0; i < list.length; i++) {
    const { text, depth } = list[i];
    if (depth === 0 && text === "(" && kept && !name.startsWith("(anonymous", name.length - list.slice(i).reduce((n, p) => n + p.text.length, 0))) break;
    if (depth === 0 && text === " " && !kept.endsWith("operator") && list[i + 1]?.text !== "<") kept = "";
    else kept += text;
  }
  return kept || name;
}

const withoutArguments = (name: string): string =>
  pieces(name)
    .filter((p) => p.depth <= 0)
    .map((p) => (p.text === "<" || p.text === "(" || p.text === "{" ? p.text + "…" : p.text))
    .join("");

export function briefName(name: string, length = 40): string {
  if (name.length <= length || !/[<(]|::/.test(name)) return name;
  let brief = withoutSignature(name);
  if (brief.length > length) brief = withoutArguments(brief);
  if (brief.length <= length) return brief;
  const cut = brief.length - length + 1;
  const scope = brief.indexOf("::", cut);
  return "…" + brief.slice(scope >= 0 && scope + 2 < brief.length ? scope : cut);
}
