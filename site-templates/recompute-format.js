// Value to text, and whether two values are the same number. Pure.
// Rounding: half away from zero on the exact decimal expansion of the double. Number.prototype.toFixed is specified
// exactly so (the nearer of two candidates, the larger on a tie, applied to the magnitude), up to 1e21.

const MINUS = "\u2212";
export const TOLERANCE = 1e-12;

function fixed(magnitude, digits) {
  const [whole, part] = magnitude.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}
const sign = (value) => (value < 0 ? MINUS : "");
const plain = (digits) => (v) => sign(v) + fixed(Math.abs(v), digits);
const usd = (digits) => (v) => sign(v) + "$" + fixed(Math.abs(v), digits);

// A sum of doubles that misses a whole number by its rounding is that whole number; a tiny p-value is no rounding.
const SLACK = 1e-12;
function settled(value) {
  const whole = Math.sign(value) * Math.round(Math.abs(value));
  return Math.abs(value - whole) <= SLACK ? whole + 0 : value;
}

const FORMATS = {
  percent(v) {
    if (v > 0 && v < 0.0005) return "<0.1%";
    if (v >= 0.9995 && v < 1) return ">99.9%";
    return plain(1)(v * 100) + "%";
  },
  points: (v) => (sign(v) || "+") + fixed(Math.abs(v * 100), 1) + " points",
  gap: (v) => plain(1)(v * 100) + " points",
  count: plain(0),
  decimal1: plain(1),
  decimal2: plain(2),
  usd2: usd(2),
  usd3: usd(3),
  p: (v) => (v > 0 && v < 0.0001 ? "<0.0001" : v.toFixed(4)),
  seconds: (v) => plain(0)(v) + " s",
};

/** The text of a value in a named format; "no data" for null. An unknown format is an error. */
export function formatValue(value, format) {
  if (!Object.hasOwn(FORMATS, format)) throw new Error(`unknown format "${format}"`);
  if (value === null) return "no data";
  if (!Number.isFinite(value)) throw new Error(`a value that is not finite: ${value}`);
  return FORMATS[format](format === "p" ? value : settled(value));
}

/** Whether two values agree: both null, or within 1e-12 absolutely or relatively. */
export function sameValue(a, b) {
  if (a === null || b === null || a === undefined || b === undefined) return a === b;
  const gap = Math.abs(a - b);
  return gap <= TOLERANCE || gap <= TOLERANCE * Math.abs(b);
}

/** The format of a number that is known by its id alone: attempts in a cell, or a field of a raw line. */
export function familyFormat(id) {
  if (["cell", "file", "task", "suite"].includes(id.slice(0, id.indexOf("|")))) return "count";
  const pointer = id.slice(id.lastIndexOf("|") + 1);
  if (id.startsWith("health|")) return pointer === "/seconds" ? "seconds" : "count";
  if (pointer === "/cost_usd") return "usd3";
  return pointer.startsWith("/seconds/") ? "seconds" : "count";
}
