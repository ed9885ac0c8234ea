export interface Server extends AsyncDisposable {
  readonly url: string;
  rssBytes(): Promise<number>;
}

/** What takes part: a program that can be started any number of times. */
export interface Contestant {
  readonly name: string;
  /** Resolves when the server has given its first answer. */
  start(): Promise<Server>;
}

/** A third-party program, installed on first use, because the project does not depend on it. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /** @throws Error with the reason when it cannot be installed or run here */
  install(): Promise<Contestant>;
}
