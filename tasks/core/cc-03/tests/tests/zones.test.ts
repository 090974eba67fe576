import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  dayKey,
  formatDate,
  formatRange,
  groupByDay,
  offsetMinutes,
  parseTrip,
  relativeDay,
  renderItinerary,
  renderReminder,
} from "../src/index";

const at = (iso: string, timeZone: string, pattern = "yyyy-MM-dd HH:mm XXX") =>
  formatDate(new Date(iso), pattern, { timeZone });

describe("offsets", () => {
  it("are those of the moment, in whatever order moments come", () => {
    expect(at("2025-01-15T12:00:00Z", "Europe/Madrid")).toBe("2025-01-15 13:00 +01:00");
    expect(at("2025-07-15T12:00:00Z", "Europe/Madrid")).toBe("2025-07-15 14:00 +02:00");
    expect(at("2025-01-16T12:00:00Z", "Europe/Madrid")).toBe("2025-01-16 13:00 +01:00");
    expect(at("2025-07-15T12:00:00Z", "Australia/Sydney")).toBe("2025-07-15 22:00 +10:00");
    expect(at("2025-12-15T12:00:00Z", "Australia/Sydney")).toBe("2025-12-15 23:00 +11:00");
  });

  it("change at the very moment at which clocks are set", () => {
    expect(at("2025-03-30T00:59:59Z", "Europe/Paris", "HH:mm:ss XXX")).toBe("01:59:59 +01:00");
    expect(at("2025-03-30T01:00:00Z", "Europe/Paris", "HH:mm:ss XXX")).toBe("03:00:00 +02:00");
    expect(at("2025-10-26T00:59:59Z", "Europe/Paris", "HH:mm:ss XXX")).toBe("02:59:59 +02:00");
    expect(at("2025-10-26T01:00:00Z", "Europe/Paris", "HH:mm:ss XXX")).toBe("02:00:00 +01:00");
    // Half an hour, at half past the hour of UTC.
    expect(at("2025-04-05T14:59:59Z", "Australia/Lord_Howe")).toBe("2025-04-06 01:59 +11:00");
    expect(at("2025-04-05T15:00:00Z", "Australia/Lord_Howe")).toBe("2025-04-06 01:30 +10:30");
    expect(at("2025-10-04T15:29:59Z", "Australia/Lord_Howe")).toBe("2025-10-05 01:59 +10:30");
    expect(at("2025-10-04T15:30:00Z", "Australia/Lord_Howe")).toBe("2025-10-05 02:30 +11:00");
  });

  it("have minutes", () => {
    expect(at("2025-01-15T06:00:00Z", "Asia/Kolkata")).toBe("2025-01-15 11:30 +05:30");
    expect(at("2025-01-15T06:00:00Z", "Asia/Kathmandu")).toBe("2025-01-15 11:45 +05:45");
    expect(at("2025-01-15T06:00:00Z", "America/St_Johns")).toBe("2025-01-15 02:30 -03:30");
    expect(at("2025-01-15T06:00:00Z", "Pacific/Marquesas")).toBe("2025-01-14 20:30 -09:30");
    expect(at("2025-01-15T06:00:00Z", "Etc/UTC")).toBe("2025-01-15 06:00 +00:00");
  });

  it("are given in minutes", () => {
    expect(offsetMinutes("America/St_Johns", new Date("2025-01-15T06:00:00Z"))).toBe(-210);
    expect(offsetMinutes("America/St_Johns", new Date("2025-07-15T06:00:00Z"))).toBe(-150);
    expect(offsetMinutes("Asia/Kathmandu", new Date("2025-01-15T06:00:00Z"))).toBe(345);
    expect(offsetMinutes("UTC", new Date("2025-01-15T06:00:00Z"))).toBeCloseTo(0);
    expect(offsetMinutes("Europe/Lisbon", new Date("2025-01-15T06:00:30.250Z"))).toBeCloseTo(0);
    expect(offsetMinutes("Europe/Lisbon", new Date("2025-07-15T06:00:30.250Z"))).toBe(60);
  });
});

describe("days", () => {
  it("begin at midnight in the zone", () => {
    expect(dayKey(new Date("2025-07-01T22:10:00Z"), "Asia/Tokyo")).toBe("2025-07-02");
    expect(dayKey(new Date("2025-07-01T14:59:59Z"), "Asia/Tokyo")).toBe("2025-07-01");
    expect(dayKey(new Date("2025-07-01T15:00:00Z"), "Asia/Tokyo")).toBe("2025-07-02");
    expect(dayKey(new Date("2026-01-01T04:59:59Z"), "America/New_York")).toBe("2025-12-31");
    expect(at("2025-07-01T15:00:00Z", "Asia/Tokyo", "d MMM HH:mm")).toBe("2 Jul 00:00");
    expect(at("2025-07-01T15:00:00Z", "Asia/Tokyo", "EEEE d, h:mm a")).toBe("Wednesday 2, 12:00 AM");
  });

  it("group items where they happen", () => {
    const stops = [
      { name: "Tokyo", zone: "Asia/Tokyo", date: new Date("2025-07-01T22:10:00Z") },
      { name: "Osaka", zone: "Asia/Tokyo", date: new Date("2025-07-01T05:00:00Z") },
      { name: "Honolulu", zone: "Pacific/Honolulu", date: new Date("2025-07-02T09:00:00Z") },
      { name: "Nagoya", zone: "Asia/Tokyo", date: new Date("2025-07-02T01:00:00Z") },
    ];
    const groups = groupByDay(stops, (stop) => stop.date, (stop) => stop.zone);
    expect(groups.map((group) => [group.day, group.items.map((stop) => stop.name)])).toEqual([
      ["2025-07-01", ["Osaka", "Honolulu"]],
      ["2025-07-02", ["Tokyo", "Nagoya"]],
    ]);
  });

  it("decide whether a range has a second date", () => {
    const options = { timeZone: "America/Los_Angeles" };
    expect(formatRange(new Date("2025-03-05T23:00:00Z"), new Date("2025-03-06T01:30:00Z"), options)).toBe(
      "5 Mar 2025, 15:00 – 17:30",
    );
    expect(formatRange(new Date("2025-03-06T07:00:00Z"), new Date("2025-03-06T09:30:00Z"), options)).toBe(
      "5 Mar 2025, 23:00 – 6 Mar 2025, 01:30",
    );
  });
});

describe("relativeDay", () => {
  it("compares days on the calendar", () => {
    const berlin = (date: string, now: string) => relativeDay(new Date(date), new Date(now), "Europe/Berlin");
    expect(berlin("2025-07-02T06:00:00+02:00", "2025-07-01T23:00:00+02:00")).toBe("tomorrow");
    expect(berlin("2025-07-03T08:00:00+02:00", "2025-07-01T22:00:00+02:00")).toBe("Thursday 3 July");
    expect(berlin("2025-07-01T23:59:00+02:00", "2025-07-01T00:00:00+02:00")).toBe("today");
    expect(berlin("2025-06-30T23:59:00+02:00", "2025-07-01T00:00:00+02:00")).toBe("yesterday");
    expect(berlin("2025-07-01T00:30:00+02:00", "2025-07-02T23:30:00+02:00")).toBe("yesterday");
    expect(relativeDay(new Date("2026-01-01T03:00:00Z"), new Date("2025-12-31T20:00:00Z"), "America/Chicago")).toBe(
      "today",
    );
    expect(relativeDay(new Date("2026-01-01T07:00:00Z"), new Date("2025-12-31T20:00:00Z"), "America/Chicago")).toBe(
      "tomorrow",
    );
  });

  it("knows days of 23 and 25 hours", () => {
    const berlin = (date: string, now: string) => relativeDay(new Date(date), new Date(now), "Europe/Berlin");
    // 25 hours on 26 October
    expect(berlin("2025-10-26T23:30:00+01:00", "2025-10-26T00:10:00+02:00")).toBe("today");
    expect(berlin("2025-10-27T00:10:00+01:00", "2025-10-26T00:20:00+02:00")).toBe("tomorrow");
    expect(berlin("2025-10-25T00:10:00+02:00", "2025-10-26T23:50:00+01:00")).toBe("yesterday");
    // 23 hours on 30 March
    expect(berlin("2025-03-31T00:10:00+02:00", "2025-03-29T23:50:00+01:00")).toBe("Monday 31 March");
    expect(berlin("2025-03-31T00:10:00+02:00", "2025-03-30T00:50:00+01:00")).toBe("tomorrow");
  });
});

describe("on machines in other zones", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  describe.each(["America/New_York", "Europe/Berlin", "Pacific/Apia", "Asia/Kolkata"])("%s", (machine) => {
    beforeEach(() => {
      process.env["TZ"] = machine;
    });

    it("the output is the same around the moments at which clocks are set", () => {
      for (const day of ["2025-03-09", "2025-03-30", "2025-10-26", "2025-11-02"]) {
        for (let half = 0; half < 48; half += 1) {
          const time = `${String(Math.floor(half / 2)).padStart(2, "0")}:${half % 2 === 0 ? "00" : "30"}`;
          expect(at(`${day}T${time}:00Z`, "UTC")).toBe(`${day} ${time} +00:00`);
          expect(dayKey(new Date(`${day}T${time}:00Z`), "UTC")).toBe(day);
        }
      }
    });

    it("names of days and months are the same", () => {
      expect(at("2025-03-31T22:30:00Z", "Europe/Helsinki", "EEEE EEE d MMMM MMM M")).toBe("Tuesday Tue 1 April Apr 4");
      expect(at("2025-04-01T03:30:00Z", "America/Denver", "EEEE EEE d MMMM MMM M")).toBe("Monday Mon 31 March Mar 3");
    });
  });
});

describe("mails", () => {
  const berlin = { name: "Berlin Hbf", timeZone: "Europe/Berlin" };
  const delhi = { name: "Delhi DEL", timeZone: "Asia/Kolkata" };
  const trip = parseTrip({
    reference: "T4M8PL",
    traveller: "J. Lindqvist",
    legs: [
      { carrier: "AI", number: "120", from: berlin, to: delhi, departs: "2025-03-20T21:05:00+01:00", arrives: "2025-03-21T08:40:00+05:30" },
      { carrier: "AI", number: "121", from: delhi, to: berlin, departs: "2025-04-03T02:15:00+05:30", arrives: "2025-04-03T07:20:00+02:00" },
    ],
  });

  it("show both halves of a trip over a change of the clocks", () => {
    expect(renderItinerary(trip)).toBe(
      [
        "Booking T4M8PL for J. Lindqvist",
        "",
        "Thursday 20 March 2025",
        "  AI 120, 7 h 05 min",
        "    21:05 (+01:00)  Berlin Hbf",
        "    08:40 (+05:30)  Delhi DEL",
        "",
        "Thursday 3 April 2025",
        "  AI 121, 8 h 35 min",
        "    02:15 (+05:30)  Delhi DEL",
        "    07:20 (+02:00)  Berlin Hbf",
        "",
      ].join("\n"),
    );
  });

  it("remind of the right day", () => {
    expect(renderReminder(trip.legs[1]!, new Date("2025-04-02T23:00:00+05:30"))).toBe(
      "AI 121 leaves Delhi DEL tomorrow at 02:15",
    );
    expect(renderReminder(trip.legs[1]!, new Date("2025-04-03T00:05:00+05:30"))).toBe(
      "AI 121 leaves Delhi DEL today at 02:15",
    );
  });
});
