import type { LooseConfig } from "./config";

export interface TransportOptions {
  host: string;
  port: number;
  secure: boolean;
  auth?: { user: string; pass: string };
}

/** How to reach the SMTP server. */
export function transportOptions(config: LooseConfig): TransportOptions {
  const options: TransportOptions = {
    host: config.get("smtp.host"),
    port: parseInt(config.get("smtp.port", 587)),
    secure: !!config.get("smtp.secure", false),
  };
  if (config.get("smtp.username")) {
    options.auth = { user: config.get("smtp.username"), pass: config.get("smtp.password") };
  }
  return options;
}
