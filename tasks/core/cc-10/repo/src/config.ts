/** Values by dotted paths: from the environment, else from the file, else what the caller falls back to. */
export class LooseConfig {
  constructor(private readonly values: Record<string, any>) {}

  get(path: string, fallback?: any): any {
    let value: any = this.values;
    for (const key of path.split(".")) value = value?.[key];
    return value ?? fallback;
  }
}

export interface ConfigSources {
  /** What the file holds. */
  json?: string;
  env?: Record<string, string | undefined>;
}

const PREFIX = "RELAY_";
const TOP_LEVEL: Record<string, string> = { ENVIRONMENT: "environment", ALLOWED_DOMAINS: "allowedDomains" };

export function loadConfig({ json = "{}", env = {} }: ConfigSources): LooseConfig {
  const values: Record<string, any> = JSON.parse(json);
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || name === "RELAY_CONFIG" || !value) continue;
    const rest = name.slice(PREFIX.length);
    if (rest in TOP_LEVEL) {
      values[TOP_LEVEL[rest]!] = value;
      continue;
    }
    const [section, ...words] = rest.toLowerCase().split("_");
    const key = words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join("");
    values[section!] = { ...values[section!], [key]: value };
  }
  return new LooseConfig(values);
}
