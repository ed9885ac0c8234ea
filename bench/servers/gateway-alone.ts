import express from 'express';
import { startGateway } from '../../gateway/gateway.ts';
import { mintCredentials } from '../../shared/control/credentials.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';

/** The estate's gateway in front of one stand-in for all applications. Arguments: the stand-in's address, and an accepted token. */
const [upstream = '', key = ''] = process.argv.slice(2);
const pepper = 'a-pepper-for-measuring';
const adapter = createMemoryStore();

async function createRehearsal(name: string): Promise<WorldView> {
  const { stored } = mintCredentials(name, pepper);
  await adapter.worlds.open(name, { now: Date.now(), applications: {}, due: [] }, stored);
  const view = await adapter.worlds.resolve(name);
  if (!view) throw new Error(`The rehearsal "${name}" was not created.`);
  return view;
}

const gateway = await startGateway({
  host: '127.0.0.1',
  port: 0,
  directory: adapter.worlds,
  createRehearsal,
  credentials: [{ name: 'integration', kind: 'bearer', key, scopes: ['catalog'] }],
  pepper,
  addressOf: () => upstream,
  token: 'a-token-for-measuring',
  control: adapter.control,
  log: createLogger('warn'),
  controlPlane: async () => {},
  agents: async () => {},
  documents: express.Router(),
  limits: { perAddressPerMinute: Number.MAX_SAFE_INTEGER, perKeyPerMinute: Number.MAX_SAFE_INTEGER },
  states: () => [],
  applicationStates: async () => [],
});
process.send?.({ ready: true, url: gateway.url });
process.once('SIGTERM', () => process.exit(0));
