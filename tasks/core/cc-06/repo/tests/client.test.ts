import { describe, expect, it } from "vitest";
import { type HttpRequest, type HttpResponse, HttpError, NetworkError, PayloadError, TrackingClient } from "../src/index";

function gateway(...answers: (Partial<HttpResponse> | Error)[]) {
  const requests: HttpRequest[] = [];
  const client = new TrackingClient({
    apiKey: "k-1",
    clock: { now: () => Date.parse("2025-03-05T09:00:00Z"), sleep: async () => {} },
    transport: async (request) => {
      requests.push(request);
      const answer = answers.shift();
      if (answer === undefined) throw new Error("no more answers");
      if (answer instanceof Error) throw answer;
      return { status: 200, headers: {}, body: "", ...answer };
    },
  });
  return { client, requests };
}

const shipment = { id: "PX-1", carrier: "post", state: "in_transit" };

describe("TrackingClient", () => {
  it("reads shipments and events", async () => {
    const events = [{ at: "2025-03-04T17:20:00Z", place: "Porto", text: "left the depot" }];
    const { client, requests } = gateway({ body: JSON.stringify(shipment) }, { body: JSON.stringify({ events }) });
    expect(await client.getShipment("PX-1")).toEqual(shipment);
    expect(await client.listEvents("PX/1")).toEqual(events);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v2/shipments/PX-1",
      "GET /v2/shipments/PX%2F1/events",
    ]);
    expect(requests[0]!.headers).toMatchObject({ authorization: "Bearer k-1" });
  });

  it("orders and cancels labels", async () => {
    const label = { id: "L-9", url: "https://labels.example/L-9.pdf" };
    const { client, requests } = gateway({ status: 201, body: JSON.stringify(label) }, { status: 204 });
    expect(await client.createLabel({ to: "Lisbon", weightGrams: 850 }, { idempotencyKey: "order-1" })).toEqual(label);
    await client.cancelLabel("L-9");
    expect(requests[0]!.headers["idempotency-key"]).toBe("order-1");
    expect(JSON.parse(requests[0]!.body!)).toEqual({
      to: "Lisbon",
      weightGrams: 850,
      requestedAt: "2025-03-05T09:00:00.000Z",
    });
  });

  it("rejects with what the gateway said", async () => {
    const { client } = gateway({ status: 404 }, { body: "<html>" }, { body: '{"id":"PX-1","carrier":"post","state":"lost"}' });
    await expect(client.getShipment("PX-1")).rejects.toMatchObject({ name: "HttpError", status: 404, method: "GET" });
    await expect(client.getShipment("PX-1")).rejects.toBeInstanceOf(PayloadError);
    await expect(client.getShipment("PX-1")).rejects.toThrow("unknown state lost");
  });

  it("does not order a label again on its own", async () => {
    const { client, requests } = gateway(new NetworkError("reset"), { status: 503 });
    await expect(client.createLabel({ to: "Lisbon", weightGrams: 850 })).rejects.toBeInstanceOf(NetworkError);
    await expect(client.createLabel({ to: "Lisbon", weightGrams: 850 })).rejects.toBeInstanceOf(HttpError);
    expect(requests).toHaveLength(2);
  });
});
