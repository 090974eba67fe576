const SIZES: Record<string, number> = { "": 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const DURATIONS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Bytes of a text such as `10MB`; NaN if it is none. */
export function parseSize(text: string): number {
  const match = /^(\d+)(KB|MB|GB)?$/.exec(text);
  return match === null ? NaN : Number(match[1]) * SIZES[match[2] ?? ""]!;
}

/** Milliseconds of a text such as `30s`; NaN if it is none. */
export function parseDuration(text: string): number {
  const match = /^(\d+)(ms|s|m|h)$/.exec(text);
  return match === null ? NaN : Number(match[1]) * DURATIONS[match[2]!]!;
}

/** The shortest text that `parseSize` reads as a number of bytes. */
export function formatSize(bytes: number): string {
  for (const unit of ["GB", "MB", "KB"]) {
    if (bytes % SIZES[unit]! === 0 && bytes > 0) return `${bytes / SIZES[unit]!}${unit}`;
  }
  return String(bytes);
}
