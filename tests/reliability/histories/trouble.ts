import fc from 'fast-check';
import type { Progression } from '../../../shared/catalog/control/progression.ts';
import { allEvents } from '../../../shared/catalog/events.ts';
import { kind } from './running-history.ts';

const application = fc.constantFrom(
  ...['ecommerce-platform', 'pos', 'clienteling-app', 'oms', 'payment-hub', 'sim', 'inventory-service', 'promotion-engine'],
  ...['loyalty-platform', 'crm', 'fms', 'wms', 'carrier-platform'],
);
/** Most events have no subscriber; those with subscribers matter most. */
const event = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...allEvents.filter(({ subscribers = [] }) => subscribers.length > 0).map(({ name }) => name)) },
  { weight: 1, arbitrary: fc.constantFrom(...allEvents.map(({ name }) => name)) },
);
const late = [
  { kind: 'duplicate', copies: 2 },
  { kind: 'late', by: 'PT1H' },
  { kind: 'late', by: 'P2D' },
  { kind: 'reorder' },
  { kind: 'withhold' },
];
const times = fc.integer({ min: 1, max: 4 });

const progression: fc.Arbitrary<Partial<Progression>> = fc.oneof(
  fc.record({ carrier: fc.constantFrom('manual', 'time', 'immediate') }),
  fc.record({ returns: fc.constantFrom('manual', 'time', 'immediate') }),
  fc.record({ warehouse: fc.constantFrom('manual', 'time', 'immediate') }),
  fc.record({ store: fc.constantFrom('manual', 'time', 'immediate') }),
  fc.record({ route: fc.constantFrom('auto', 'manual') }),
  fc.record({ label: fc.constantFrom('auto', 'manual') }),
  fc.record({ capture: fc.constantFrom('auto', 'manual') }),
  fc.record({ refund: fc.constantFrom('auto', 'manual') }),
  fc.record({ external: fc.constantFrom('auto', 'manual') }),
);

export const trouble = {
  advance: kind({ by: fc.constantFrom('PT1M', 'PT16M', 'PT6H', 'P1D', 'P3D', 'P8D', 'P15D', 'P40D') }, async ({ rehearsal }, { by }) => {
    const reply = await rehearsal.call('POST', '/_control/clock/advance', { by }, { as: 'admin' });
    if (reply.status !== 200 && reply.body.code !== 'clock_busy') throw new Error(`advance: ${JSON.stringify(reply.body)}`);
  }),
  fault: kind(
    {
      application,
      fault: fc.constantFrom(
        { kind: 'outage' },
        { kind: 'drop' },
        { kind: 'lost-response' },
        { kind: 'lost-response', as: 'reset' },
        { kind: 'latency', ms: 20 },
        { kind: 'status', status: 503 },
      ),
      times,
      chance: fc.constantFrom(null, 0.5),
    },
    async ({ rehearsal, expectTrouble }, given) => {
      expectTrouble();
      const chance = given.chance === null ? {} : { probability: given.chance, seed: 'history' };
      const rule = { match: { application: given.application }, fault: given.fault, times: given.times, ...chance };
      await rehearsal.fault(`${given.fault.kind}-${given.application}`, rule);
    },
  ),
  'event-fault': kind({ event, fault: fc.constantFrom(...late), times }, async ({ rehearsal }, given) => {
    await rehearsal.fault(`${given.fault.kind}-${given.event}`, { match: { event: given.event }, fault: given.fault, times: given.times });
  }),
  'webhook-fault': kind(
    { fault: fc.constantFrom(...late, { kind: 'bad-signature' }, { kind: 'stale-timestamp' }), times },
    async ({ rehearsal }, { fault, times: strikes }) => {
      await rehearsal.fault(`${fault.kind}-webhook`, { match: { webhook: 'carrier' }, fault, times: strikes });
    },
  ),
  mend: kind({}, async ({ rehearsal }) => rehearsal.noFaults()),
  progress: kind({ progression }, ({ play }, given) => play('PUT', 'progression', given.progression)),
};
