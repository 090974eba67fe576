import { parsePattern, type Token } from "./pattern";
import { offsetMinutes } from "./zone";

export interface FormatOptions {
  /** Name of a zone, such as `Europe/Berlin`. */
  timeZone: string;
  /** Language of the names of months and days; `en-GB` by default. */
  locale?: string;
}

/** Writes a moment as the clocks of a zone show it. */
export function formatDate(date: Date, pattern: string, options: FormatOptions): string {
  if (Number.isNaN(date.getTime())) throw new RangeError("the date is invalid");
  const offset = offsetMinutes(options.timeZone, date);
  // The clock of the machine runs in a zone of its own, which has to be taken off again.
  const local = new Date(date.getTime() + (offset + date.getTimezoneOffset()) * 60_000);
  const locale = options.locale ?? "en-GB";
  return parsePattern(pattern)
    .map((part) => (part.kind === "text" ? part.text : write(part.token, local, offset, locale)))
    .join("");
}

function write(token: Token, local: Date, offset: number, locale: string): string {
  switch (token) {
    case "yyyy":
      return String(local.getFullYear()).padStart(4, "0");
    case "MMMM":
      return local.toLocaleString(locale, { month: "long" });
    case "MMM":
      return local.toLocaleString(locale, { month: "short" });
    case "MM":
      return two(local.getMonth() + 1);
    case "M":
      return String(local.getMonth() + 1);
    case "dd":
      return two(local.getDate());
    case "d":
      return String(local.getDate());
    case "EEEE":
      return local.toLocaleString(locale, { weekday: "long" });
    case "EEE":
      return local.toLocaleString(locale, { weekday: "short" });
    case "HH":
      return two(local.getHours());
    case "H":
      return String(local.getHours());
    case "hh":
      return two(twelve(local.getHours()));
    case "h":
      return String(twelve(local.getHours()));
    case "mm":
      return two(local.getMinutes());
    case "ss":
      return two(local.getSeconds());
    case "a":
      return local.getHours() < 12 ? "AM" : "PM";
    case "XXX":
      return writeOffset(offset);
  }
}

function writeOffset(offset: number): string {
  const sign = offset < 0 ? "-" : "+";
  const hours = Math.floor(offset / 60);
  return `${sign}${two(Math.abs(hours))}:${two(Math.abs(offset % 60))}`;
}

function twelve(hour: number): number {
  return hour % 12 === 0 ? 12 : hour % 12;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
