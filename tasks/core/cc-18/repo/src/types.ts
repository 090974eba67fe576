export interface Note {
  id: string;
  text: string;
}

export interface Account {
  password: string;
  token: string;
}

/** What requests carry: from the server the address of the socket, from the middleware the user. */
export type Env = { Bindings: { remoteAddress?: string }; Variables: { user: string } };
