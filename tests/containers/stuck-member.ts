import { createKafkaBus } from '../../shared/events/kafka/bus.ts';
import { createLogger } from '../../shared/process/logger.ts';

/** A group member that reports its deliveries and finishes only `done`. Arguments: brokers, group, world. */
const [brokers = '', groupPrefix = '', world = ''] = process.argv.slice(2);
const bus = createKafkaBus({ brokers: brokers.split(','), clientId: 'stuck', log: createLogger('silent'), groupPrefix });
await bus.subscribe('crm', { topics: ['uc.order.events'] }, async ({ world: of, id }) => {
  if (of !== world) return undefined;
  process.stdout.write(`${id}\n`);
  return id === 'done' ? undefined : new Promise<undefined>(() => undefined);
});
const joined = setInterval(() => {
  if (!bus.state().ready) return;
  clearInterval(joined);
  process.stdout.write('joined\n');
}, 50);
