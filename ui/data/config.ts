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

let loaded: ConsoleConfig | undefined;

/** Reads the public facts of the gateway, once before the first page is drawn. @throws Error when the gateway does not answer */
export async function loadConfig(): Promise<void> {
  const answer = await fetch('/console/config.json', { cache: 'no-cache' });
  if (!answer.ok) throw new Error(`/console/config.json answered ${answer.status}.`);
  loaded = (await answer.json()) as ConsoleConfig;
}

export function config(): ConsoleConfig {
  if (!loaded) throw new Error('The configuration is read before any page is drawn.');
  return loaded;
}
