import { beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../src/app.ts";
import { Store } from "../src/store.ts";

const tokens = new Map([["token-ines", { id: "u7", name: "Ines" }]]);
const standup = {
  roomId: "aurora",
  title: "Stand-up",
  start: "2025-03-05T09:00:00Z",
  end: "2025-03-05T09:15:00Z",
};

let app: ReturnType<typeof createApp>;

beforeEach(() => {
  app = createApp({ store: new Store([{ id: "aurora", name: "Aurora", seats: 8 }]), tokens, log: () => {} });
});

function send(text: string, token = "token-ines") {
  return app.request("/api/bookings", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: text,
  });
}

const post = (body: unknown) => send(JSON.stringify(body));

async function stored(): Promise<unknown[]> {
  const answer = await app.request("/api/bookings", { headers: { Authorization: "Bearer token-ines" } });
  return ((await answer.json()) as { bookings: unknown[] }).bookings;
}

/** Sends a body that is wrong and gives back the names of the fields that are said to be. */
async function wrong(body: unknown): Promise<string[]> {
  const answer = await post(body);
  const said = (await answer.json()) as { error: string; fields: Record<string, unknown> };
  expect({ status: answer.status, error: said.error }).toEqual({ status: 400, error: "validation_failed" });
  for (const message of Object.values(said.fields)) expect(message).toMatch(/\S/);
  expect(await stored()).toEqual([]);
  return Object.keys(said.fields).sort();
}

async function right(body: unknown): Promise<Record<string, unknown>> {
  const answer = await post(body);
  const booking = (await answer.json()) as Record<string, unknown>;
  expect(answer.status, JSON.stringify(booking)).toBe(201);
  return booking;
}

describe("a good request", () => {
  it("is answered as before", async () => {
    const full = { ...standup, attendees: ["a@b.example", "first.last+tag@mail.example.org"], notes: "bring coffee" };
    expect(await right(full)).toEqual({ ...full, id: "b1", createdBy: "u7", status: "confirmed" });
    expect(await stored()).toHaveLength(1);
  });

  it("may leave out what is optional", async () => {
    expect(await right(standup)).toMatchObject({ attendees: [], notes: "" });
  });

  it("may go to the limits", async () => {
    const body = {
      ...standup,
      title: "x".repeat(120),
      end: "2025-03-05T17:00:00Z",
      attendees: [...Array.from({ length: 19 }, (_, i) => `user${i}@example.com`), `${"a".repeat(241)}@mail.example`],
      notes: "n".repeat(2000),
    };
    expect(await right(body)).toMatchObject(body);
    expect((await post({ ...body, start: "2024-02-29T23:30:00Z", end: "2024-03-01T00:30:00Z" })).status).toBe(201);
  });

  it("has its title cut at both ends", async () => {
    expect(await right({ ...standup, title: ` \t${"x".repeat(120)}\n ` })).toMatchObject({ title: "x".repeat(120) });
  });
});

describe("a wrong request", () => {
  it("may lack fields", async () => {
    expect(await wrong({})).toEqual(["end", "roomId", "start", "title"]);
    const { title: _, ...untitled } = standup;
    expect(await wrong(untitled)).toEqual(["title"]);
  });

  it.each(["id", "createdBy", "status", "constructor", "Title"])("may have the field %s", async (name) => {
    expect(await wrong({ ...standup, [name]: "u9" })).toEqual([name]);
    expect(await wrong({ ...standup, [name]: null })).toEqual([name]);
  });

  it("may name no room", async () => {
    for (const roomId of ["zenith", "", 7, null, ["aurora"], "toString"]) {
      expect(await wrong({ ...standup, roomId })).toEqual(["roomId"]);
    }
  });

  it("may have no proper title", async () => {
    for (const title of ["", " \n\t ", "x".repeat(121), 5, null, ["Stand-up"], { length: 8 }]) {
      expect(await wrong({ ...standup, title })).toEqual(["title"]);
    }
  });

  it.each([
    "2025-02-30T09:00:00Z",
    "2025-04-31T09:00:00Z",
    "2025-02-29T09:00:00Z",
    "2025-03-05T24:00:00Z",
    "2025-03-05T09:60:00Z",
    "2025-13-01T09:00:00Z",
    "2025-00-10T09:00:00Z",
    "2025-03-05T09:00:00+01:00",
    "2025-03-05T09:00:00.000Z",
    "2025-03-05T09:00Z",
    "2025-03-05 09:00:00Z",
    "2025-03-05",
    "5 March 2025 09:00",
    "2025-03-05T09:00:00Z\n",
    " 2025-03-05T09:00:00Z",
    "",
  ])("may begin or end at %j", async (moment) => {
    expect(await wrong({ ...standup, start: moment })).toEqual(["start"]);
    expect(await wrong({ ...standup, end: moment })).toEqual(["end"]);
  });

  it("may have moments that are no text", async () => {
    for (const moment of [1_741_165_200_000, null, true, ["2025-03-05T09:00:00Z"], {}]) {
      expect(await wrong({ ...standup, start: moment, end: moment })).toEqual(["end", "start"]);
    }
  });

  it("may end too early or too late", async () => {
    expect(await wrong({ ...standup, end: standup.start })).toEqual(["end"]);
    expect(await wrong({ ...standup, end: "2025-03-05T08:59:59Z" })).toEqual(["end"]);
    expect(await wrong({ ...standup, end: "2025-03-05T17:00:01Z" })).toEqual(["end"]);
  });

  it("may have no proper list of attendees", async () => {
    const many = Array.from({ length: 21 }, (_, i) => `user${i}@example.com`);
    for (const attendees of ["a@b.example", null, {}, 3, many, [null], [["a@b.example"]], ["a@b.example", 7]]) {
      expect(await wrong({ ...standup, attendees })).toEqual(["attendees"]);
    }
  });

  it.each([
    "",
    "a",
    "a@b",
    "@b.example",
    "a@",
    "a@.example",
    "a@b.",
    "a@b@c.example",
    "a b@c.example",
    "a@b .example",
    " a@b.example",
    "a@b.example\n",
  ])("may have the attendee %j", async (address) => {
    expect(await wrong({ ...standup, attendees: ["ok@mail.example", address] })).toEqual(["attendees"]);
  });

  it("may have an attendee with a long address", async () => {
    expect(await wrong({ ...standup, attendees: [`${"a".repeat(242)}@mail.example`] })).toEqual(["attendees"]);
  });

  it("may have no proper notes", async () => {
    for (const notes of ["n".repeat(2001), null, 0, ["note"]]) {
      expect(await wrong({ ...standup, notes })).toEqual(["notes"]);
    }
  });

  it("is told of everything at once", async () => {
    const body = { roomId: "zenith", title: "", start: "soon", end: "later", attendees: "all", notes: 1, status: "cancelled" };
    expect(await wrong(body)).toEqual(["attendees", "end", "notes", "roomId", "start", "status", "title"]);
    expect(await wrong({ ...standup, title: 1, end: "2025-03-05T08:00:00Z", admin: true })).toEqual(["admin", "end", "title"]);
  });
});

describe("a body that is no booking at all", () => {
  it.each(["", "{", "{'title': 1}", "null", "[]", "[{}]", '"text"', "12", "true"])("%j is refused", async (text) => {
    const answer = await send(text);
    expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 400, body: { error: "invalid_body" } });
    expect(await stored()).toEqual([]);
  });

  it("is not looked at without a token", async () => {
    expect((await send("{", "token-of-nobody")).status).toBe(401);
  });
});

it("a room that is taken is told last", async () => {
  await right(standup);
  expect((await post({ ...standup, title: "" })).status).toBe(400);
  expect((await post({ ...standup, title: "Retro" })).status).toBe(409);
  expect((await post({ ...standup, title: "Retro", start: standup.end, end: "2025-03-05T10:00:00Z" })).status).toBe(201);
});
