export interface Entry {
  id: string;
  /** `YYYY-MM-DD` */
  date: string;
  /** In cents. */
  amount: number;
  text: string;
}

export class ParseError extends Error {
  override name = "ParseError";

  constructor(
    readonly file: string,
    readonly line: number,
    message: string,
  ) {
    super(`${file}:${line}: ${message}`);
  }
}

const HEADER = "id;date;amount;text";

/** Reads a statement. `file` is for messages. */
export function parseStatement(text: string, file: string): Entry[] {
  const lines = text.split(/\r?\n/);
  if (lines[0] !== HEADER) throw new ParseError(file, 1, `expected ${HEADER}`);
  const entries: Entry[] = [];
  lines.slice(1).forEach((line, index) => {
    if (line.trim() === "") return;
    const number = index + 2;
    const [id, date, amount, ...rest] = line.split(";");
    if (!id || rest.length === 0) throw new ParseError(file, number, "expected four fields");
    if (!/^\d{4}-\d{2}-\d{2}$/.test(date!)) throw new ParseError(file, number, `no date: ${date}`);
    if (!/^-?\d+\.\d{2}$/.test(amount!)) throw new ParseError(file, number, `no amount: ${amount}`);
    entries.push({ id, date: date!, amount: Math.round(Number(amount) * 100), text: rest.join(";") });
  });
  return entries;
}

/** An amount in cents as it stands in a statement. */
export function formatAmount(cents: number): string {
  const sign = cents < 0 ? "-" : "";
  const size = String(Math.abs(cents)).padStart(3, "0");
  return `${sign}${size.slice(0, -2)}.${size.slice(-2)}`;
}
