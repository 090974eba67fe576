import { type Clock, systemClock } from "./clock";
import type { TrackingClient } from "./client";
import type { Shipment } from "./payloads";

export interface PollOptions {
  intervalMs: number;
  clock?: Clock;
  signal?: AbortSignal;
  onChange?: (shipment: Shipment) => void;
}

/** Asks again and again until a shipment is delivered or returned. */
export async function waitForDelivery(
  client: Pick<TrackingClient, "getShipment">,
  id: string,
  { intervalMs, clock = systemClock, signal, onChange = () => {} }: PollOptions,
): Promise<Shipment> {
  let last: Shipment | undefined;
  for (;;) {
    const shipment = await client.getShipment(id, { signal });
    if (shipment.state !== last?.state) onChange(shipment);
    if (shipment.state === "delivered" || shipment.state === "returned") return shipment;
    last = shipment;
    await clock.sleep(intervalMs, signal);
  }
}
