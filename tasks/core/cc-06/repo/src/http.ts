import { NetworkError } from "./errors";

export type Method = "GET" | "POST" | "DELETE";

export interface HttpRequest {
  method: Method;
  path: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Sends one request. Rejects with a `NetworkError` if there is no answer, with the signal's reason if it is aborted. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export function fetchTransport(baseUrl: string): Transport {
  return async ({ method, path, headers, body, signal }) => {
    try {
      const response = await fetch(new URL(path, baseUrl), { method, headers, body, signal });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw new NetworkError(`${method} ${path}: no answer`, { cause: error });
    }
  };
}
