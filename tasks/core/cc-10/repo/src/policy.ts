import type { LooseConfig } from "./config";
import { formatSize, parseSize } from "./units";

export interface Message {
  from: string;
  to: string[];
  sizeBytes: number;
}

/** Why a message is not taken; nothing if it is. */
export function rejection(config: LooseConfig, message: Message): string | undefined {
  const configured = config.get("limits.maxSizeBytes", "10MB");
  const max = typeof configured === "string" ? parseSize(configured) : configured;
  if (message.sizeBytes > max) return `larger than ${formatSize(max)}`;
  let domains = config.get("allowedDomains", []);
  if (typeof domains === "string") domains = domains.split(",");
  domains = domains.map((domain: string) => domain.toLowerCase());
  if (domains.length === 0) return undefined;
  const stranger = message.to.find((address) => !domains.includes(address.slice(address.lastIndexOf("@") + 1).toLowerCase()));
  return stranger === undefined ? undefined : `no mail to ${stranger}`;
}
