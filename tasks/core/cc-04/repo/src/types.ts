export interface Room {
  id: string;
  name: string;
  seats: number;
}

export interface NewBooking {
  roomId: string;
  title: string;
  /** Moments as ISO strings in UTC, such as `2025-03-05T09:00:00Z`. */
  start: string;
  end: string;
  attendees: string[];
  notes: string;
}

export interface Booking extends NewBooking {
  id: string;
  createdBy: string;
  status: "confirmed" | "cancelled";
}

export interface User {
  id: string;
  name: string;
}

/** What the middleware leaves in the context for handlers. */
export type Env = { Variables: { user: User } };
