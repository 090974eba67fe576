export { Cache } from "./cache";
export type { CacheOptions, CacheStats } from "./cache";
