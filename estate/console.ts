import { isIPv4 } from 'node:net';
import type { Credential } from '../fixtures/files.ts';
import { demoAmong } from '../fixtures/public-secrets.ts';
import manifest from '../package.json' with { type: 'json' };
import type { Logger } from '../shared/process/logger.ts';
import type { ConsoleConfig, DemoCredentials } from '../ui/data/config.ts';
import { adaptersOf, type Configuration } from './configuration.ts';
import { StartError } from './start-error.ts';

/** The facts that the page needs before sign-in. */
export function consoleConfig(
  configuration: Configuration,
  credentials: readonly Credential[],
  portal: () => string | undefined = () => undefined,
): () => ConsoleConfig {
  const production = configuration.NODE_ENV === 'production';
  const facts = { version: manifest.version, production, adapters: adaptersOf(configuration) };
  const demo = production ? undefined : publicAmong(credentials);
  return () => {
    const address = portal();
    return { ...facts, ...(address !== undefined && { portal: address }), ...(demo && { demo }) };
  };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));

/**
 * The demo credentials are public. A process that others can reach, or that runs in production, must not accept them by accident, even
 * from a copy of the fixtures.
 * @throws StartError unless ALLOW_DEMO_CREDENTIALS is set
 */
export function refuseDemoCredentials(
  { NODE_ENV, HOST, ALLOW_DEMO_CREDENTIALS }: Configuration,
  credentials: readonly Credential[],
  log: Logger,
): void {
  const known = demoAmong(credentials);
  const isOpen = !isLoopback(HOST);
  if (known.length === 0 || (!isOpen && NODE_ENV !== 'production')) return;
  const where = isOpen ? `HOST=${HOST}` : 'NODE_ENV=production';
  if (!ALLOW_DEMO_CREDENTIALS) {
    throw new StartError(
      `With ${where} the demo credentials (${known.join(', ')}), which are public, are refused; provide your own credentials.json with FIXTURES_DIR, listen on 127.0.0.1, or set ALLOW_DEMO_CREDENTIALS=true.`,
    );
  }
  log.warn({ credentials: known, host: HOST }, 'demo credentials are accepted: anyone who reaches this address can use them');
}

/** The accepted credentials that are public because the files of this project contain them. */
export function publicAmong(credentials: readonly Credential[]): DemoCredentials {
  const names = new Set(demoAmong(credentials));
  const find = (kind: Credential['kind'], scope: string): string | undefined =>
    credentials.find((one) => names.has(one.name) && one.kind === kind && one.scopes.some((given) => given === scope))?.secret;
  const found = { control: find('bearer', 'control'), integration: find('bearer', 'catalog'), apiKey: find('api-key', 'catalog') };
  return Object.fromEntries(Object.entries(found).filter(([, secret]) => secret !== undefined));
}
