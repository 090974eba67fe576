export * from "./config";
export { describeConfig } from "./describe";
export { type Message, rejection } from "./policy";
export { nextDelay, queuePath } from "./queue";
export { Throttle } from "./throttle";
export { type TransportOptions, transportOptions } from "./transport";
export { formatSize, parseDuration, parseSize } from "./units";
