import { formatDate } from "./format";

const DAY = 86_400_000;

export interface DayGroup<T> {
  day: string;
  items: T[];
}

/** The day on which a moment falls, as `yyyy-MM-dd`. */
export function dayKey(date: Date, _timeZone: string): string {
  return date.toISOString().slice(0, 10);
}

/** Items under the days on which they happen, earliest first. */
export function groupByDay<T>(
  items: readonly T[],
  dateOf: (item: T) => Date,
  zoneOf: (item: T) => string,
): DayGroup<T>[] {
  const groups = new Map<string, T[]>();
  const sorted = [...items].sort((a, b) => dateOf(a).getTime() - dateOf(b).getTime());
  for (const item of sorted) {
    const day = dayKey(dateOf(item), zoneOf(item));
    const group = groups.get(day);
    if (group === undefined) groups.set(day, [item]);
    else group.push(item);
  }
  return [...groups].map(([day, grouped]) => ({ day, items: grouped })).sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** The day of a moment as people say it, seen from `now`. */
export function relativeDay(date: Date, now: Date, timeZone: string, locale?: string): string {
  const days = Math.round((date.getTime() - now.getTime()) / DAY);
  if (days === -1) return "yesterday";
  if (days === 0) return "today";
  if (days === 1) return "tomorrow";
  return formatDate(date, "EEEE d MMMM", { timeZone, locale });
}
