import { describe, expect, it } from "vitest";
import { formatDate, formatDuration, formatRange, parsePattern, PatternError } from "../src/index";

const summer = new Date("2025-07-01T16:05:09Z");

describe("formatDate", () => {
  it("writes what clocks in the zone show", () => {
    expect(formatDate(summer, "yyyy-MM-dd HH:mm:ss", { timeZone: "UTC" })).toBe("2025-07-01 16:05:09");
    expect(formatDate(summer, "yyyy-MM-dd HH:mm:ss", { timeZone: "Europe/Berlin" })).toBe("2025-07-01 18:05:09");
    expect(formatDate(summer, "HH:mm XXX", { timeZone: "America/New_York" })).toBe("12:05 -04:00");
    expect(formatDate(summer, "d MMM, HH:mm", { timeZone: "Asia/Tokyo" })).toBe("2 Jul, 01:05");
  });

  it("writes twelve hours", () => {
    const at = (time: string) => formatDate(new Date(`2025-07-01T${time}Z`), "h:mm a", { timeZone: "UTC" });
    expect(["00:30", "08:00", "12:00", "23:59"].map(at)).toEqual(["12:30 AM", "8:00 AM", "12:00 PM", "11:59 PM"]);
  });

  it("writes names in the language asked for", () => {
    expect(formatDate(summer, "EEEE d MMMM", { timeZone: "UTC" })).toBe("Tuesday 1 July");
    expect(formatDate(summer, "EEEE d MMMM", { timeZone: "UTC", locale: "de" })).toBe("Dienstag 1 Juli");
    expect(formatDate(summer, "EEE, MMM", { timeZone: "UTC", locale: "fr" })).toBe("mar., juil.");
  });

  it("refuses invalid dates and unknown zones", () => {
    expect(() => formatDate(new Date(NaN), "HH", { timeZone: "UTC" })).toThrow(RangeError);
    expect(() => formatDate(summer, "HH", { timeZone: "Europe/Atlantis" })).toThrow(RangeError);
  });
});

describe("parsePattern", () => {
  it("keeps quoted text", () => {
    expect(formatDate(summer, "d 'of' MMMM, H 'o''clock'", { timeZone: "UTC" })).toBe("1 of July, 16 oclock");
    expect(formatDate(summer, "''yyyy''", { timeZone: "UTC" })).toBe("'2025'");
  });

  it("refuses unknown tokens and open quotes", () => {
    expect(() => parsePattern("yy")).toThrow(PatternError);
    expect(() => parsePattern("d 'of")).toThrow("a quote is not closed at 2");
  });
});

describe("ranges", () => {
  it("leaves the second date out on one day", () => {
    const options = { timeZone: "UTC" };
    expect(formatRange(new Date("2025-03-05T09:00:00Z"), new Date("2025-03-05T17:30:00Z"), options)).toBe(
      "5 Mar 2025, 09:00 – 17:30",
    );
    expect(formatRange(new Date("2025-03-05T09:00:00Z"), new Date("2025-03-06T07:00:00Z"), options)).toBe(
      "5 Mar 2025, 09:00 – 6 Mar 2025, 07:00",
    );
  });

  it("writes durations", () => {
    expect(formatDuration(45 * 60_000)).toBe("45 min");
    expect(formatDuration(125 * 60_000)).toBe("2 h 05 min");
  });
});
