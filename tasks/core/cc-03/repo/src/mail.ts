import { groupByDay, relativeDay } from "./calendar";
import { formatDate } from "./format";
import { formatDuration } from "./range";
import type { Leg, Trip } from "./trip";

/** The mail that is sent after a booking: all legs, under the days on which they depart. */
export function renderItinerary(trip: Trip, locale?: string): string {
  const lines = [`Booking ${trip.reference} for ${trip.traveller}`];
  const days = groupByDay(
    trip.legs,
    (leg) => leg.departs,
    (leg) => leg.from.timeZone,
  );
  for (const { items } of days) {
    const [first] = items;
    lines.push("", formatDate(first!.departs, "EEEE d MMMM yyyy", { timeZone: first!.from.timeZone, locale }));
    for (const leg of items) lines.push(...renderLeg(leg));
  }
  return lines.join("\n") + "\n";
}

function renderLeg(leg: Leg): string[] {
  const departs = formatDate(leg.departs, "HH:mm (XXX)", { timeZone: leg.from.timeZone });
  const arrives = formatDate(leg.arrives, "HH:mm (XXX)", { timeZone: leg.to.timeZone });
  const takes = formatDuration(leg.arrives.getTime() - leg.departs.getTime());
  return [
    `  ${leg.carrier} ${leg.number}, ${takes}`,
    `    ${departs}  ${leg.from.name}`,
    `    ${arrives}  ${leg.to.name}`,
  ];
}

/** The line that is sent on the day before a leg and again in the morning. */
export function renderReminder(leg: Leg, now: Date, locale?: string): string {
  const { timeZone } = leg.from;
  const day = relativeDay(leg.departs, now, timeZone, locale);
  return `${leg.carrier} ${leg.number} leaves ${leg.from.name} ${day} at ${formatDate(leg.departs, "HH:mm", { timeZone })}`;
}
