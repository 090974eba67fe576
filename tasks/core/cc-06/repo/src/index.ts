export { type CallOptions, type ClientOptions, type LabelOrder, TrackingClient } from "./client";
export { type Clock, systemClock } from "./clock";
export { HttpError, NetworkError, PayloadError } from "./errors";
export { fetchTransport, type HttpRequest, type HttpResponse, type Method, type Transport } from "./http";
export type { Label, Shipment, ShipmentState, TrackingEvent } from "./payloads";
export { type PollOptions, waitForDelivery } from "./poll";
