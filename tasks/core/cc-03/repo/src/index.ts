export { dayKey, groupByDay, relativeDay, type DayGroup } from "./calendar";
export { formatDate, type FormatOptions } from "./format";
export { renderItinerary, renderReminder } from "./mail";
export { parsePattern, PatternError, type Part } from "./pattern";
export { formatDuration, formatRange } from "./range";
export { type Leg, type Place, type Trip, TripError, parseTrip } from "./trip";
export { offsetMinutes } from "./zone";
