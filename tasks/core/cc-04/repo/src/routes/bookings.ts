import { Hono } from "hono";
import { ApiError } from "../errors.ts";
import { RoomTaken, type Store } from "../store.ts";
import type { Env, NewBooking } from "../types.ts";

export function bookingRoutes(store: Store) {
  const routes = new Hono<Env>();

  routes.get("/", (c) => {
    const { room, day } = c.req.query();
    if (day !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new ApiError(400, "invalid_day");
    return c.json({ bookings: store.bookings({ room, day }) });
  });

  routes.post("/", async (c) => {
    const body = (await c.req.json()) as NewBooking;
    try {
      const booking = store.create(c.get("user").id, { ...body, attendees: body.attendees ?? [], notes: body.notes ?? "" });
      return c.json(booking, 201);
    } catch (error) {
      if (error instanceof RoomTaken) throw new ApiError(409, "room_taken", { from: error.by.start, to: error.by.end });
      throw error;
    }
  });

  routes.delete("/:id", (c) => {
    const booking = store.booking(c.req.param("id"));
    if (booking === undefined) throw new ApiError(404, "not_found");
    if (booking.createdBy !== c.get("user").id) throw new ApiError(403, "not_yours");
    store.cancel(booking.id);
    return c.body(null, 204);
  });

  return routes;
}
