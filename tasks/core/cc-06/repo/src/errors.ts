export interface FailedAnswer {
  method: string;
  path: string;
  status: number;
  headers: Readonly<Record<string, string>>;
}

/** The gateway answered, but not with what was asked for. */
export class HttpError extends Error {
  override name = "HttpError";
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ method, path, status, headers }: FailedAnswer) {
    super(`${method} ${path}: ${status}`);
    this.method = method;
    this.path = path;
    this.status = status;
    this.headers = headers;
  }
}

/** There was no answer. */
export class NetworkError extends Error {
  override name = "NetworkError";
}

/** The answer is not what the gateway promises. */
export class PayloadError extends Error {
  override name = "PayloadError";
}
