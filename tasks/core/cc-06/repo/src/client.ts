import { type Clock, systemClock } from "./clock";
import { HttpError } from "./errors";
import type { HttpRequest, Transport } from "./http";
import { type Label, parseEvents, parseLabel, parseShipment, type Shipment, type TrackingEvent } from "./payloads";

export interface ClientOptions {
  transport: Transport;
  apiKey: string;
  clock?: Clock;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface LabelOrder {
  to: string;
  weightGrams: number;
}

export class TrackingClient {
  readonly #transport: Transport;
  readonly #apiKey: string;
  readonly #clock: Clock;

  constructor({ transport, apiKey, clock = systemClock }: ClientOptions) {
    this.#transport = transport;
    this.#apiKey = apiKey;
    this.#clock = clock;
  }

  async getShipment(id: string, { signal }: CallOptions = {}): Promise<Shipment> {
    return parseShipment(await this.#send({ method: "GET", path: `/v2/shipments/${encodeURIComponent(id)}`, headers: {}, signal }));
  }

  async listEvents(id: string, { signal }: CallOptions = {}): Promise<TrackingEvent[]> {
    const path = `/v2/shipments/${encodeURIComponent(id)}/events`;
    return parseEvents(await this.#send({ method: "GET", path, headers: {}, signal }));
  }

  async createLabel(order: LabelOrder, options: CallOptions & { idempotencyKey?: string } = {}): Promise<Label> {
    const { idempotencyKey, signal } = options;
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    const body = JSON.stringify({ ...order, requestedAt: new Date(this.#clock.now()).toISOString() });
    return parseLabel(await this.#send({ method: "POST", path: "/v2/labels", headers, body, signal }));
  }

  async cancelLabel(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#send({ method: "DELETE", path: `/v2/labels/${encodeURIComponent(id)}`, headers: {}, signal });
  }

  async #send(request: HttpRequest): Promise<string> {
    const { method, path } = request;
    const headers = { ...request.headers, authorization: `Bearer ${this.#apiKey}`, accept: "application/json" };
    const response = await this.#transport({ ...request, headers });
    if (response.status >= 400) throw new HttpError({ method, path, status: response.status, headers: response.headers });
    return response.body;
  }
}
