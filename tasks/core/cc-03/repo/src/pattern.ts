export class PatternError extends Error {
  override name = "PatternError";

  constructor(
    readonly pattern: string,
    readonly position: number,
    message: string,
  ) {
    super(`${message} at ${position} in ${JSON.stringify(pattern)}`);
  }
}

export type Token =
  | "yyyy"
  | "MMMM"
  | "MMM"
  | "MM"
  | "M"
  | "dd"
  | "d"
  | "EEEE"
  | "EEE"
  | "HH"
  | "H"
  | "hh"
  | "h"
  | "mm"
  | "ss"
  | "a"
  | "XXX";

export type Part = { kind: "token"; token: Token } | { kind: "text"; text: string };

const TOKENS: ReadonlySet<string> = new Set<Token>([
  "yyyy",
  "MMMM",
  "MMM",
  "MM",
  "M",
  "dd",
  "d",
  "EEEE",
  "EEE",
  "HH",
  "H",
  "hh",
  "h",
  "mm",
  "ss",
  "a",
  "XXX",
]);

const parsed = new Map<string, readonly Part[]>();

/** Splits a pattern into tokens and text. Patterns are few and used again and again, so the parts are kept. */
export function parsePattern(pattern: string): readonly Part[] {
  let parts = parsed.get(pattern);
  if (parts === undefined) {
    parts = split(pattern);
    parsed.set(pattern, parts);
  }
  return parts;
}

function split(pattern: string): Part[] {
  const parts: Part[] = [];
  const text = (more: string) => {
    const last = parts.at(-1);
    if (last?.kind === "text") last.text += more;
    else parts.push({ kind: "text", text: more });
  };
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at]!;
    if (char === "'") {
      if (pattern[at + 1] === "'") {
        text("'");
        at += 2;
        continue;
      }
      const end = pattern.indexOf("'", at + 1);
      if (end < 0) throw new PatternError(pattern, at, "a quote is not closed");
      text(pattern.slice(at + 1, end));
      at = end + 1;
    } else if (/[A-Za-z]/.test(char)) {
      let end = at;
      while (pattern[end] === char) end += 1;
      const token = pattern.slice(at, end);
      if (!TOKENS.has(token)) throw new PatternError(pattern, at, `unknown token ${token}`);
      parts.push({ kind: "token", token: token as Token });
      at = end;
    } else {
      text(char);
      at += 1;
    }
  }
  return parts;
}
