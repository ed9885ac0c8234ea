import type { Credential } from '../fixtures/files.ts';
import manifest from '../package.json' with { type: 'json' };
import type { ConsoleConfig } from '../ui/data/config.ts';
import { adaptersOf, type Configuration } from './configuration.ts';
import { publicAmong } from './demo-credentials.ts';

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
