// Evaluates the expressions of an equation in the page: the language of src/expr/parse.h, in what is written to files.
// An expression is compiled once into closures, so that a slider can evaluate a curve at every step.

export type Values = Record<string, number>;
export type Compiled = (values: Values) => number;

const functions: Record<string, (...x: number[]) => number> = {
  min: Math.min,
  max: Math.max,
  abs: Math.abs,
  sqrt: Math.sqrt,
  exp: Math.exp,
  log: Math.log,
  ln: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  pow: Math.pow,
  floor: Math.floor,
  ceil: Math.ceil,
  ceiling: Math.ceil,
  sin: Math.sin,
  cos: Math.cos,
  lg: Math.log2,
  lg2: Math.log2,
  step: (x) => (x >= 0 ? 1 : 0),
  Heaviside: (x) => (x >= 0 ? 1 : 0),
  dirac: () => 0,
  mod: (a, b) => a - b * Math.floor(a / b),
  pick: (k, ...list) => list[Math.round(k)] ?? NaN,
};

const tokens = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_][\w.]*)|(\*\*|<=|>=|==|!=|[-+*/^(),<>?:]))/y;

interface Token {
  kind: "number" | "name" | "sign" | "end";
  text: string;
}

function split(text: string): Token[] {
  const list: Token[] = [];
  tokens.lastIndex = 0;
  const end = text.trimEnd().length;
  while (tokens.lastIndex < end) {
    const at = tokens.lastIndex;
    const found = tokens.exec(text);
    if (!found) throw new Error(`cannot read the expression at "${text.slice(at, at + 12)}"`);
    if (found[1] !== undefined) list.push({ kind: "number", text: found[1] });
    else if (found[2] !== undefined) list.push({ kind: "name", text: found[2] });
    else list.push({ kind: "sign", text: found[3] === "**" ? "^" : found[3] });
  }
  list.push({ kind: "end", text: "" });
  return list;
}

class Parser {
  private at = 0;
  readonly names = new Set<string>();
  constructor(private readonly list: Token[]) {}

  private peek(sign: string): boolean {
    const token = this.list[this.at];
    return token.kind === "sign" && token.text === sign;
  }
  private take(sign: string): boolean {
    if (!this.peek(sign)) return false;
    this.at++;
    return true;
  }
  private expect(sign: string): void {
    if (!this.take(sign)) throw new Error(`expected "${sign}" before "${this.list[this.at].text}"`);
  }

  whole(): Compiled {
    const result = this.choice();
    if (this.list[this.at].kind !== "end") throw new Error(`"${this.list[this.at].text}" stands too much`);
    return result;
  }
  private choice(): Compiled {
    const condition = this.comparison();
    if (!this.take("?")) return condition;
    const yes = this.choice();
    this.expect(":");
    const no = this.choice();
    return (v) => (condition(v) ? yes(v) : no(v));
  }
  private comparison(): Compiled {
    const a = this.sum();
    const test = (sign: string, holds: (x: number, y: number) => boolean): Compiled | null => {
      if (!this.take(sign)) return null;
      const b = this.sum();
      return (v) => (holds(a(v), b(v)) ? 1 : 0);
    };
    return (
      test("<=", (x, y) => x <= y) ?? test(">=", (x, y) => x >= y) ?? test("==", (x, y) => x === y) ??
      test("!=", (x, y) => x !== y) ?? test("<", (x, y) => x < y) ?? test(">", (x, y) => x > y) ?? a
    );
  }
  private sum(): Compiled {
    let a = this.product();
    for (;;) {
      const left = a;
      if (this.take("+")) {
        const b = this.product();
        a = (v) => left(v) + b(v);
      } else if (this.take("-")) {
        const b = this.product();
        a = (v) => left(v) - b(v);
      } else return a;
    }
  }
  private product(): Compiled {
    let a = this.signed();
    for (;;) {
      const left = a;
      if (this.take("*")) {
        const b = this.signed();
        a = (v) => left(v) * b(v);
      } else if (this.take("/")) {
        const b = this.signed();
        a = (v) => left(v) / b(v);
      } else return a;
    }
  }
  private signed(): Compiled {
    if (this.take("-")) {
      const a = this.signed();
      return (v) => -a(v);
    }
    if (this.take("+")) return this.signed();
    return this.power();
  }
  private power(): Compiled {
    const a = this.atom();
    if (!this.take("^")) return a;
    const b = this.signed(); // binds to the right: 2^3^2 is 2^9
    return (v) => Math.pow(a(v), b(v));
  }
  private atom(): Compiled {
    if (this.take("(")) {
      const inside = this.choice();
      this.expect(")");
      return inside;
    }
    const token = this.list[this.at++];
    if (token.kind === "number") {
      const value = Number(token.text);
      return () => value;
    }
    if (token.kind !== "name") throw new Error(`"${token.text || "the end"}" stands where a value is wanted`);
    if (!this.take("(")) {
      if (token.text === "pi" || token.text === "Pi") return () => Math.PI;
      this.names.add(token.text);
      return (v) => v[token.text] ?? NaN;
    }
    const arguments_: Compiled[] = [];
    if (!this.take(")")) {
      do arguments_.push(this.choice());
      while (this.take(","));
      this.expect(")");
    }
    const what = functions[token.text];
    if (!what) throw new Error(`there is no function "${token.text}"`);
    return (v) => what(...arguments_.map((a) => a(v)));
  }
}

export interface Expression {
  evaluate: Compiled;
  names: string[];
}

export function compile(text: string): Expression {
  const parser = new Parser(split(text));
  const evaluate = parser.whole();
  return { evaluate, names: [...parser.names] };
}
