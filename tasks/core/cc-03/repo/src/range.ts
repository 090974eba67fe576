import { dayKey } from "./calendar";
import { formatDate, type FormatOptions } from "./format";

/** A span of time; the second date is left out where it is the first. */
export function formatRange(start: Date, end: Date, options: FormatOptions): string {
  if (end < start) throw new RangeError("the end is before the start");
  const first = formatDate(start, "d MMM yyyy, HH:mm", options);
  const sameDay = dayKey(start, options.timeZone) === dayKey(end, options.timeZone);
  const last = formatDate(end, sameDay ? "HH:mm" : "d MMM yyyy, HH:mm", options);
  return `${first} – ${last}`;
}

/** A length of time in hours and minutes: `"1 h 05 min"`, `"45 min"`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 0) throw new RangeError("a duration cannot be negative");
  const minutes = Math.round(milliseconds / 60_000);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return hours === 0 ? `${rest} min` : `${hours} h ${String(rest).padStart(2, "0")} min`;
}
