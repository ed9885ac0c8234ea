/** `GET /console/config.json`: what the page must know before it signs in. */
export interface ConsoleConfig {
  readonly version: string;
  readonly production: boolean;
  readonly adapters: { readonly state: string; readonly events: string };
  /** Address of the touchpoint portal, if it runs in this process. */
  readonly portal?: string;
  /** Credentials that are public anyway. Never in production. */
  readonly demo?: DemoCredentials;
}

export interface DemoCredentials {
  readonly control?: string;
  readonly integration?: string;
  readonly apiKey?: string;
}
