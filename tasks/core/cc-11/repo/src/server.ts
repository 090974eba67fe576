import type { Hub } from "./hub";
import type { Scheduler } from "./scheduler";
import { Session, type Socket } from "./session";

export interface ServerOptions {
  scheduler: Scheduler;
  heartbeatMs: number;
  /** Ends all sessions. */
  signal?: AbortSignal;
}

/** All clients. */
export class LiveServer {
  readonly #hub: Hub;
  readonly #options: ServerOptions;
  readonly #sessions = new Set<Session>();

  constructor(hub: Hub, options: ServerOptions) {
    this.#hub = hub;
    this.#options = options;
  }

  /** How many clients there are. */
  get size(): number {
    return this.#sessions.size;
  }

  connect(socket: Socket): Session {
    const { scheduler, heartbeatMs, signal } = this.#options;
    const onClose = (session: Session) => this.#sessions.delete(session);
    const session = new Session(this.#hub, socket, { scheduler, heartbeatMs, onClose });
    this.#sessions.add(session);
    signal?.addEventListener("abort", () => session.close());
    return session;
  }
}
