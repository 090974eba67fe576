export { combine, type Feed } from "./combine";
export { type Handler, Hub, type HubOptions, type HubStats, type Source, type SubscribeOptions, type Subscription } from "./hub";
export { type Scheduler, systemScheduler } from "./scheduler";
export { LiveServer, type ServerOptions } from "./server";
export { Session, type SessionOptions, type Socket } from "./session";
export { stream, type StreamOptions } from "./stream";
export { TimeoutError, waitFor, type WaitOptions } from "./wait";
