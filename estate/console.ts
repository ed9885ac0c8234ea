import type { ConsoleConfig, DemoCredentials } from '../console/config.ts';
import { demoAmong } from '../fixtures/demo-credentials.ts';
import type { Credential } from '../fixtures/files.ts';
import manifest from '../package.json' with { type: 'json' };
import { adaptersOf, type Configuration } from './configuration.ts';

/** What the console tells its page before somebody has signed in. */
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

/** The accepted credentials that are public anyway, since the files of this project contain them. */
function publicAmong(credentials: readonly Credential[]): DemoCredentials {
  const names = new Set(demoAmong(credentials));
  const find = (kind: Credential['kind'], scope: string): string | undefined =>
    credentials.find((one) => names.has(one.name) && one.kind === kind && one.scopes.some((given) => given === scope))?.secret;
  const found = { simulation: find('bearer', 'sim:admin'), integration: find('bearer', 'catalog'), apiKey: find('api-key', 'catalog') };
  return Object.fromEntries(Object.entries(found).filter(([, secret]) => secret !== undefined));
}
