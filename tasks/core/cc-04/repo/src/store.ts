import type { Booking, NewBooking, Room } from "./types.ts";

export class RoomTaken extends Error {
  override name = "RoomTaken";
  readonly by: Booking;

  constructor(by: Booking) {
    super(`the room is taken from ${by.start} to ${by.end}`);
    this.by = by;
  }
}

export interface BookingFilter {
  room?: string;
  /** A day of UTC as `YYYY-MM-DD`. */
  day?: string;
}

/** Rooms and bookings, in memory. */
export class Store {
  #rooms: Map<string, Room>;
  #bookings = new Map<string, Booking>();
  #next = 1;

  constructor(rooms: readonly Room[]) {
    this.#rooms = new Map(rooms.map((room) => [room.id, room]));
  }

  rooms(): Room[] {
    return [...this.#rooms.values()];
  }

  room(id: string): Room | undefined {
    return this.#rooms.get(id);
  }

  booking(id: string): Booking | undefined {
    return this.#bookings.get(id);
  }

  bookings({ room, day }: BookingFilter = {}): Booking[] {
    return [...this.#bookings.values()]
      .filter((booking) => room === undefined || booking.roomId === room)
      .filter((booking) => day === undefined || booking.start.startsWith(day))
      .sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
  }

  create(createdBy: string, input: NewBooking): Booking {
    const [start, end] = [Date.parse(input.start), Date.parse(input.end)];
    for (const other of this.#bookings.values()) {
      if (other.roomId !== input.roomId || other.status === "cancelled") continue;
      if (start < Date.parse(other.end) && Date.parse(other.start) < end) throw new RoomTaken(other);
    }
    const booking: Booking = { id: `b${this.#next++}`, createdBy, status: "confirmed", ...input };
    this.#bookings.set(booking.id, booking);
    return booking;
  }

  cancel(id: string): void {
    const booking = this.#bookings.get(id);
    if (booking !== undefined) booking.status = "cancelled";
  }

  /** Everything as it is written to disk on shutdown. */
  snapshot(): { rooms: Room[]; bookings: Booking[] } {
    return { rooms: this.rooms(), bookings: [...this.#bookings.values()] };
  }
}
