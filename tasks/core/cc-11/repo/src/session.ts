import type { Hub, Subscription } from "./hub";
import type { Scheduler } from "./scheduler";

/** What a session needs of a WebSocket. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: "message" | "close" | "error", listener: (event: Event & { data?: unknown }) => void): void;
  removeEventListener(type: "message" | "close" | "error", listener: (event: Event & { data?: unknown }) => void): void;
}

export interface SessionOptions {
  scheduler: Scheduler;
  heartbeatMs: number;
  onClose?: (session: Session) => void;
}

/** One client: its socket, what it has subscribed to, its heartbeat. */
export class Session {
  readonly #hub: Hub;
  readonly #socket: Socket;
  readonly #subscriptions = new Map<string, Subscription>();
  #closed = false;

  constructor(hub: Hub, socket: Socket, { scheduler, heartbeatMs, onClose = () => {} }: SessionOptions) {
    this.#hub = hub;
    this.#socket = socket;
    scheduler.every(heartbeatMs, () => {
      if (!this.#closed) this.#send({ op: "ping" });
    });
    socket.addEventListener("message", (event) => this.#receive(String(event.data)));
    socket.addEventListener("close", () => {
      this.close();
      onClose(this);
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Topics that the client has subscribed to. */
  get topics(): string[] {
    return [...this.#subscriptions.keys()];
  }

  /** Ends the session and its socket. */
  close(): void {
    this.#closed = true;
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#socket.close();
  }

  #receive(text: string): void {
    let message: { op?: unknown; topic?: unknown };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      return this.#send({ error: "no JSON" });
    }
    const { op, topic } = message ?? {};
    if (typeof topic !== "string" || topic === "") return this.#send({ error: "no topic" });
    if (op === "subscribe") {
      const subscription = this.#hub.subscribe(topic, (value) => this.#send({ topic, value }));
      this.#subscriptions.set(topic, subscription);
    } else if (op === "unsubscribe") {
      this.#subscriptions.get(topic)?.close();
    } else {
      this.#send({ error: "unknown op" });
    }
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }
}
