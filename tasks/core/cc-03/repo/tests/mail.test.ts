import { describe, expect, it } from "vitest";
import { dayKey, groupByDay, parseTrip, relativeDay, renderItinerary, renderReminder, TripError } from "../src/index";

const berlin = { name: "Berlin Hbf", timeZone: "Europe/Berlin" };
const london = { name: "London St Pancras", timeZone: "Europe/London" };
const booking = {
  reference: "K7QX2M",
  traveller: "A. Okafor",
  legs: [
    { carrier: "ICE", number: "18", from: berlin, to: london, departs: "2025-07-01T08:34:00+02:00", arrives: "2025-07-01T15:57:00+01:00" },
    { carrier: "EST", number: "9004", from: london, to: berlin, departs: "2025-07-03T10:01:00+01:00", arrives: "2025-07-03T19:20:00+02:00" },
  ],
};

describe("renderItinerary", () => {
  it("writes every time in the zone of its place", () => {
    expect(renderItinerary(parseTrip(booking))).toBe(
      [
        "Booking K7QX2M for A. Okafor",
        "",
        "Tuesday 1 July 2025",
        "  ICE 18, 8 h 23 min",
        "    08:34 (+02:00)  Berlin Hbf",
        "    15:57 (+01:00)  London St Pancras",
        "",
        "Thursday 3 July 2025",
        "  EST 9004, 8 h 19 min",
        "    10:01 (+01:00)  London St Pancras",
        "    19:20 (+02:00)  Berlin Hbf",
        "",
      ].join("\n"),
    );
  });
});

describe("renderReminder", () => {
  it("says when a leg leaves", () => {
    const [leg] = parseTrip(booking).legs;
    expect(renderReminder(leg!, new Date("2025-07-01T04:00:00Z"))).toBe("ICE 18 leaves Berlin Hbf today at 08:34");
    expect(renderReminder(leg!, new Date("2025-06-30T08:00:00Z"))).toBe("ICE 18 leaves Berlin Hbf tomorrow at 08:34");
    expect(renderReminder(leg!, new Date("2025-06-25T08:00:00Z"))).toBe(
      "ICE 18 leaves Berlin Hbf Tuesday 1 July at 08:34",
    );
  });
});

describe("days", () => {
  it("groups by day, earliest first", () => {
    const items = ["2025-07-02T12:00:00Z", "2025-07-01T15:00:00Z", "2025-07-01T09:00:00Z"].map((s) => new Date(s));
    const groups = groupByDay(items, (date) => date, () => "UTC");
    expect(groups.map((g) => [g.day, g.items.length])).toEqual([["2025-07-01", 2], ["2025-07-02", 1]]);
    expect(dayKey(items[0]!, "Europe/Berlin")).toBe("2025-07-02");
  });

  it("names the days next to today", () => {
    const noon = new Date("2025-07-02T12:00:00Z");
    expect(relativeDay(new Date("2025-07-01T12:00:00Z"), noon, "UTC")).toBe("yesterday");
    expect(relativeDay(noon, noon, "UTC")).toBe("today");
    expect(relativeDay(new Date("2025-07-09T12:00:00Z"), noon, "UTC")).toBe("Wednesday 9 July");
  });
});

describe("parseTrip", () => {
  it("names what is wrong", () => {
    expect(() => parseTrip({ ...booking, legs: [] })).toThrow(TripError);
    const late = { ...booking.legs[0], departs: "2025-07-01T08:34:00" };
    expect(() => parseTrip({ ...booking, legs: [late] })).toThrow("legs[0].departs has no offset");
  });
});
