const offsets = new Map<string, number>();

/** Minutes that clocks in a zone are ahead of UTC. */
export function offsetMinutes(timeZone: string, date: Date): number {
  const known = offsets.get(timeZone);
  if (known !== undefined) return known;
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "shortOffset" }).formatToParts(date);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  const hours = /^GMT([+-]\d+)/.exec(name)?.[1] ?? "0";
  const minutes = Number(hours) * 60;
  offsets.set(timeZone, minutes);
  return minutes;
}
