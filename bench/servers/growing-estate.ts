import { readConfiguration } from '../../estate/configuration.ts';
import { startEstate } from '../../estate/estate.ts';
import { openStore } from '../../estate/infrastructure.ts';
import type { World } from '../../shared/domain/world.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { type Growth, growWorld } from '../growth/grown-world.ts';

/** The whole estate in one process, which fills a world on request. */
const configuration = readConfiguration(process.env);
const log = createLogger(configuration.LOG_LEVEL);
const adapter = await openStore(configuration, log);
const estate = await startEstate(configuration, log, adapter);
await estate.ready;

process.on('message', async (message: { readonly grow?: { readonly world: World; readonly growth: Growth; readonly first: number } }) => {
  if (!message.grow) return;
  const { world, growth, first } = message.grow;
  await growWorld(adapter, world, growth, first);
  process.send?.({ grown: world });
});
process.send?.({ ready: true, gateway: estate.gateway });
process.once('SIGTERM', () => estate.close().finally(() => process.exit(0)));
