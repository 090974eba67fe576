import { PayloadError } from "./errors";

export type ShipmentState = "announced" | "in_transit" | "delivered" | "returned";

export interface Shipment {
  id: string;
  carrier: string;
  state: ShipmentState;
}

export interface TrackingEvent {
  at: string;
  place: string;
  text: string;
}

export interface Label {
  id: string;
  url: string;
}

const STATES: readonly string[] = ["announced", "in_transit", "delivered", "returned"];

export function parseShipment(body: string): Shipment {
  const json = record(parse(body), "shipment");
  const state = text(json, "state");
  if (!STATES.includes(state)) throw new PayloadError(`unknown state ${state}`);
  return { id: text(json, "id"), carrier: text(json, "carrier"), state: state as ShipmentState };
}

export function parseEvents(body: string): TrackingEvent[] {
  const { events } = record(parse(body), "answer");
  if (!Array.isArray(events)) throw new PayloadError("events is no list");
  return events
    .map((event) => record(event, "event"))
    .map((event) => ({ at: text(event, "at"), place: text(event, "place"), text: text(event, "text") }));
}

export function parseLabel(body: string): Label {
  const json = record(parse(body), "label");
  return { id: text(json, "id"), url: text(json, "url") };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new PayloadError("the answer is no JSON", { cause: error });
  }
}

function record(json: unknown, what: string): Record<string, unknown> {
  if (typeof json !== "object" || json === null) throw new PayloadError(`the ${what} is no object`);
  return json as Record<string, unknown>;
}

function text(from: Record<string, unknown>, key: string): string {
  const value = from[key];
  if (typeof value !== "string") throw new PayloadError(`${key} is no text`);
  return value;
}
