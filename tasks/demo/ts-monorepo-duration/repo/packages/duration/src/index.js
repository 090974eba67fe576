/** Units from the largest to the smallest, in milliseconds. */
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
];

const PIECE = /(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)/y;

/**
 * Milliseconds of a text such as `1h 30m`.
 *
 * @param {string} text
 * @returns {number}
 */
export function parse(text) {
  const trimmed = text.trim();
  const negative = trimmed.startsWith("-");
  const body = negative ? trimmed.slice(1).trim() : trimmed;
  let at = 0;
  let total = 0;
  while (at < body.length) {
    PIECE.lastIndex = at;
    const match = PIECE.exec(body);
    if (match === null) {
      throw new SyntaxError(`not a duration: ${JSON.stringify(text)}`);
    }
    total += Number(match[1]) * UNITS.find(([name]) => name === match[2])[1];
    at = PIECE.lastIndex;
    while (body[at] === " ") at += 1;
  }
  if (body === "") {
    throw new SyntaxError("an empty text is not a duration");
  }
  return negative ? -total : total;
}

/**
 * A text such as `1h 30m`.
 *
 * @param {number} milliseconds
 * @param {{ parts?: number }} [options] how many units are written at most
 * @returns {string}
 */
export function format(milliseconds, { parts = UNITS.length } = {}) {
  if (!Number.isFinite(milliseconds)) {
    throw new RangeError("a duration must be finite");
  }
  if (!Number.isInteger(parts) || parts < 1) {
    throw new RangeError("parts must be a whole number above zero");
  }
  let left = Math.abs(milliseconds);
  const written = [];
  for (const [name, size] of UNITS) {
    const last = written.length === parts - 1 || size === 1;
    const count = last ? Math.round(left / size) : Math.floor(left / size);
    if (count > 0) {
      written.push(`${count}${name}`);
      left -= count * size;
    }
    if (written.length === parts) break;
  }
  const sign = milliseconds < 0 && written.length > 0 ? "-" : "";
  return sign + (written.join(" ") || "0ms");
}
