export class TripError extends Error {
  override name = "TripError";
}

export interface Place {
  name: string;
  timeZone: string;
}

export interface Leg {
  carrier: string;
  number: string;
  from: Place;
  to: Place;
  departs: Date;
  arrives: Date;
}

export interface Trip {
  reference: string;
  traveller: string;
  legs: Leg[];
}

/** Reads a trip as the booking service sends it: moments as ISO strings with an offset. */
export function parseTrip(json: unknown): Trip {
  const trip = record(json, "trip");
  const legs = trip["legs"];
  if (!Array.isArray(legs) || legs.length === 0) throw new TripError("a trip needs at least one leg");
  return {
    reference: text(trip, "reference", "trip"),
    traveller: text(trip, "traveller", "trip"),
    legs: legs.map((leg, index) => parseLeg(leg, `legs[${index}]`)),
  };
}

function parseLeg(json: unknown, where: string): Leg {
  const leg = record(json, where);
  const parsed = {
    carrier: text(leg, "carrier", where),
    number: text(leg, "number", where),
    from: parsePlace(leg["from"], `${where}.from`),
    to: parsePlace(leg["to"], `${where}.to`),
    departs: moment(leg, "departs", where),
    arrives: moment(leg, "arrives", where),
  };
  if (parsed.arrives <= parsed.departs) throw new TripError(`${where} arrives before it departs`);
  return parsed;
}

function parsePlace(json: unknown, where: string): Place {
  const place = record(json, where);
  return { name: text(place, "name", where), timeZone: text(place, "timeZone", where) };
}

function record(json: unknown, where: string): Record<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new TripError(`${where} is no object`);
  return json as Record<string, unknown>;
}

function text(from: Record<string, unknown>, key: string, where: string): string {
  const value = from[key];
  if (typeof value !== "string" || value === "") throw new TripError(`${where}.${key} is no text`);
  return value;
}

function moment(from: Record<string, unknown>, key: string, where: string): Date {
  const value = text(from, key, where);
  if (!/(Z|[+-]\d\d:\d\d)$/.test(value)) throw new TripError(`${where}.${key} has no offset`);
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw new TripError(`${where}.${key} is no moment`);
  return date;
}
