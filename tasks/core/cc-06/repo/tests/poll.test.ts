import { describe, expect, it } from "vitest";
import { type Shipment, type ShipmentState, waitForDelivery } from "../src/index";

describe("waitForDelivery", () => {
  it("asks until the parcel is there", async () => {
    const states: ShipmentState[] = ["announced", "in_transit", "in_transit", "delivered"];
    const slept: number[] = [];
    const seen: Shipment[] = [];
    const client = { getShipment: async (id: string) => ({ id, carrier: "post", state: states.shift()! }) };
    const last = await waitForDelivery(client, "PX-1", {
      intervalMs: 60_000,
      clock: { now: () => 0, sleep: async (ms) => void slept.push(ms) },
      onChange: (shipment) => seen.push(shipment),
    });
    expect(last.state).toBe("delivered");
    expect(slept).toEqual([60_000, 60_000, 60_000]);
    expect(seen.map(({ state }) => state)).toEqual(["announced", "in_transit", "delivered"]);
  });

  it("stops with its signal", async () => {
    const abort = new AbortController();
    const client = { getShipment: async (id: string) => ({ id, carrier: "post", state: "announced" as const }) };
    const waiting = waitForDelivery(client, "PX-1", { intervalMs: 3_600_000, signal: abort.signal, onChange: () => abort.abort("enough") });
    await expect(waiting).rejects.toBe("enough");
  });
});
