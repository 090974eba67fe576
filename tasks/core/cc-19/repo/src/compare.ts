const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });

/** Whether there is nothing to compare. */
export function isMissing(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return Number.isNaN(value instanceof Date ? value.getTime() : value);
}

/** Compares two values that are there. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return collator.compare(a, b) > 0 ? 1 : -1;
  const [left, right] = [toNumber(a), toNumber(b)];
  return left > right ? 1 : -1;
}

function toNumber(value: unknown): number {
  if (value instanceof Date) return value.getTime();
  return Number(value);
}
