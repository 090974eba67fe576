import { beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../src/app.ts";
import { Store } from "../src/store.ts";

const tokens = new Map([
  ["token-ines", { id: "u7", name: "Ines" }],
  ["token-tom", { id: "u9", name: "Tom" }],
]);
const review = {
  roomId: "aurora",
  title: "Design review",
  start: "2025-03-05T09:00:00Z",
  end: "2025-03-05T10:00:00Z",
  attendees: ["ines@example.com"],
};

let app: ReturnType<typeof createApp>;

beforeEach(() => {
  const rooms = [
    { id: "aurora", name: "Aurora", seats: 8 },
    { id: "borealis", name: "Borealis", seats: 4 },
  ];
  app = createApp({ store: new Store(rooms), tokens, log: () => {} });
});

function call(method: string, path: string, body?: unknown, token = "token-ines") {
  return app.request(path, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

describe("access", () => {
  it("needs a token", async () => {
    expect((await app.request("/health")).status).toBe(200);
    const answer = await call("GET", "/api/rooms", undefined, "token-of-nobody");
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ error: "unauthorized" });
  });

  it("asks for the token before it looks at the body", async () => {
    expect((await call("POST", "/api/bookings", {}, "token-of-nobody")).status).toBe(401);
  });
});

describe("bookings", () => {
  it("are made", async () => {
    const answer = await call("POST", "/api/bookings", review);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toEqual({ ...review, id: "b1", notes: "", createdBy: "u7", status: "confirmed" });
  });

  it("are listed by room and day", async () => {
    await call("POST", "/api/bookings", { ...review, roomId: "borealis" });
    await call("POST", "/api/bookings", { ...review, start: "2025-03-06T09:00:00Z", end: "2025-03-06T09:30:00Z" });
    await call("POST", "/api/bookings", review);
    const ids = async (query: string) => {
      const { bookings } = (await (await call("GET", `/api/bookings${query}`)).json()) as { bookings: { id: string }[] };
      return bookings.map((booking) => booking.id);
    };
    expect(await ids("?room=aurora")).toEqual(["b3", "b2"]);
    expect(await ids("?day=2025-03-05")).toEqual(["b1", "b3"]);
    expect((await call("GET", "/api/bookings?day=today")).status).toBe(400);
  });

  it("do not overlap in a room", async () => {
    await call("POST", "/api/bookings", review);
    const answer = await call("POST", "/api/bookings", { ...review, start: "2025-03-05T09:30:00Z" });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toEqual({ error: "room_taken", from: review.start, to: review.end });
    const after = { ...review, start: review.end, end: "2025-03-05T11:00:00Z" };
    expect((await call("POST", "/api/bookings", after)).status).toBe(201);
  });

  it("are cancelled by those who made them", async () => {
    await call("POST", "/api/bookings", review);
    expect((await call("DELETE", "/api/bookings/b1", undefined, "token-tom")).status).toBe(403);
    expect((await call("DELETE", "/api/bookings/b1")).status).toBe(204);
    expect((await call("DELETE", "/api/bookings/b2")).status).toBe(404);
    expect((await call("POST", "/api/bookings", review)).status).toBe(201);
  });
});
