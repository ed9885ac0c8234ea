import { afterEach, expect, test } from '@jest/globals';
import { createClockDriver } from '../../../control/clock/driver.ts';
import { registeredApplications } from '../../../estate/registry.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { World } from '../../../shared/domain/world.ts';
import { createLogger } from '../../../shared/process/logger.ts';
import { createRedisStore } from '../../../shared/store/redis/store.ts';
import { createHttpTransport } from '../../../shared/transport/http-transport.ts';
import type { AnyService } from '../../../shared/work/handler.ts';
import { eventually } from '../../support/eventually.ts';
import { rehearsalAt } from '../../support/steps/rehearsal-at.ts';
import { describeReplicas } from './running-replicas.ts';

const BASKET = { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] };

/** A CRM whose handler of confirmed orders fails on request, and a record of its effects. */
function brittleCrm() {
  const service = registeredApplications.map((registered) => registered.service).find(({ application }) => application === 'crm');
  if (!service) throw new Error('There is no CRM.');
  const state = { broken: true, effects: [] as string[] };
  const onOrderConfirmed = service.events['order-confirmed'];
  const brittle: AnyService = {
    ...service,
    events: {
      'order-confirmed': async (event, scope) => {
        if (state.broken) throw new Problem('internal_error', 'The CRM is broken.');
        await onOrderConfirmed?.(event, scope);
        state.effects.push(event.id);
      },
    },
  };
  return { state, service: brittle };
}
const crm = brittleCrm();

describeReplicas(
  'Trouble in an estate with two replicas of every service',
  { services: [crm.service], store: { outboxLimit: 20 } },
  (estate) => {
    afterEach(() => {
      estate.bus.resume();
      crm.state.broken = true;
    });

    test('An estate refuses changes but answers queries while too many events wait for the bus, and recovers', async () => {
      await using rehearsal = await rehearsalAt(estate.gateway);
      estate.bus.interrupt();
      const create = (n: number) => rehearsal.call('create-basket-api', { body: BASKET, headers: { 'idempotency-key': `basket-${n}` } });
      let accepted = 0;
      let refused = await create(0);
      while (refused.status === 201 && accepted < 50) refused = await create(++accepted);
      expect(accepted).toBe(20);
      expect(refused).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        body: { code: 'dependency_unavailable', dependency: 'event-bus', retryable: true, detail: expect.stringContaining('20 events') },
      });
      expect((await rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } })).status).toBe(200);
      const { waitingFor } = await rehearsal.control('settle', { body: { timeoutMs: 0 } });
      expect(waitingFor.filter((text) => text.startsWith('unsent '))).toHaveLength(20);
      estate.bus.resume();
      const reply = await eventually('it recovers', async () => {
        const again = await create(accepted);
        return again.status === 201 && again;
      });
      expect(reply.headers['idempotent-replayed']).toBeUndefined();
      await rehearsal.verify();
      const events = await rehearsal.events({ type: 'basket-created' });
      expect([events.length, new Set(events.map(({ id }) => id)).size]).toEqual([21, 21]);
    });

    test('Parked work is redriven by its key with one effect, and parked again while it still fails', async () => {
      await using rehearsal = await rehearsalAt(estate.gateway);
      const { control } = rehearsal;
      await rehearsal.confirmed();
      const parked = await eventually('the delivery is parked', async () => (await control('list-parked')).items[0]);
      expect(parked).toMatchObject({ what: 'delivery', key: expect.stringMatching(/^crm\|evt_/), error: 'The CRM is broken.' });
      const { key } = parked;
      const named = { what: 'delivery', key };
      const consumer = async () => (await control('read-event', { params: { id: key.slice('crm|'.length) } })).consumers[0];
      // The journal, which has the attempts, is written soon after they end.
      await eventually('every attempt is shown', async () => (await consumer())?.attempts === 5);
      expect(await consumer()).toMatchObject({ application: 'crm', state: 'parked', status: 500, error: 'The CRM is broken.' });
      expect(await control('redrive-parked', { body: { key } })).toEqual({ redriven: [named], left: [] });
      expect(await rehearsal.settle()).toMatchObject({ parked: [{ ...named, error: 'The CRM is broken.' }] });
      crm.state.broken = false;
      const both = await Promise.all([0, 1].map(() => control('redrive-parked', { body: { key } }).catch(() => undefined)));
      expect(both.flatMap((answer) => answer?.redriven ?? [])).toEqual([named]);
      expect(await rehearsal.settle()).toMatchObject({ parked: [] });
      expect(crm.state.effects.filter((id) => `crm|${id}` === key)).toHaveLength(1);
      await eventually('the later attempts are shown', async () => (await consumer())?.attempts === 7);
      expect(await consumer()).toMatchObject({ state: 'consumed', status: 200 });
      await rehearsal.verify();
      await expect(control('redrive-parked', { body: { key } })).rejects.toMatchObject({ status: 404 });
    });

    test('The clock of a rehearsal flows again after its driver died during an advance', async () => {
      await using rehearsal = await rehearsalAt(estate.gateway);
      const { addressOf, token, agent, prefix } = estate;
      const adapter = await createRedisStore({ url: estate.redis, prefix });
      const transport = createHttpTransport({ addressOf, token, agent });
      const driver = createClockDriver({ worlds: adapter.worlds, transport, log: createLogger('silent') });
      // The advance never ends, because its pending work never completes.
      estate.bus.interrupt();
      await rehearsal.basket();
      const advancing = driver.advance(rehearsal.world as World, Date.now() + 86_400_000, 60_000).catch((error: unknown) => error);
      const flow = () => rehearsal.call('PUT', '/_control/clock', { flowing: true }, { as: 'admin' });
      await eventually('the clock is leased', async () => (await flow()).status === 409);
      expect((await rehearsal.control('read-clock')).flowing).toBe(false);
      await adapter.close();
      expect(await advancing).toBeInstanceOf(Error);
      await driver.stop();
      estate.bus.resume();
      await eventually('the clock flows', async () => (await rehearsal.control('read-clock')).flowing);
      expect((await rehearsal.advance('P2D')).settled).toBe(true);
      await rehearsal.verify();
    });
  },
);
