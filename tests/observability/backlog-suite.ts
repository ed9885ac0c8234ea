import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NEVER } from '../../shared/domain/time.ts';
import type { PlannedDue } from '../../shared/store/ports/due-work.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { PlannedEvent } from '../../shared/store/ports/plan.ts';
import { aPlan } from '../ports/a-plan.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
const NOTHING = { events: 0 };

export function backlogSuite(name: string, create: () => Promise<StoreAdapter>): void {
  describe(`The backlog in ${name}`, () => {
    let adapter: StoreAdapter;
    beforeAll(async () => {
      adapter = await create();
    });
    afterAll(() => adapter.close());

    const sent = { topic: 'uc.order.events', key: 'k', json: '{}', subscribers: ['fms' as const] };
    const timer = { kind: 'timer', payload: '1', correlationId: 'c' };
    const event = (id: string, committedAt: number): PlannedEvent => ({ ...sent, id, committedAt });
    const due = (key: string, at: number, parts: Partial<PlannedDue> = {}): PlannedDue => ({ ...timer, key, at, ...parts });

    test(`The backlog in ${name} has the events, deliveries and due work of all worlds, with the oldest event`, async () => {
      const oms = adapter.store('oms');
      const open = (rehearsal: string) => adapter.worlds.open(rehearsal, { now: 1_000, applications: {}, due: [] }, CREDENTIALS);
      const [first, second] = [await open('first'), await open('second')];
      expect(await oms.outbox()).toEqual(NOTHING);
      await adapter.worlds.setFault(first, 'keeps', '{}');
      await oms.commit(first, aPlan({ events: [event('e1', 5_000), event('e2', 6_000)], due: [due('now', 1), due('later', NEVER - 1)] }));
      await oms.commit(second, aPlan({ events: [event('e3', 4_000)], due: [due('kept', NEVER, { withheldBy: 'keeps' })] }));
      await oms.commit(first, aPlan({ due: [due('held', NEVER, { withheldBy: 'keeps' })] }));
      expect(await oms.outbox()).toEqual({ events: 3, oldestAt: 4_000 });
      expect(await adapter.store('fms').outbox()).toEqual(NOTHING);
      // No fault of the second world withholds its work, so that it is overdue.
      const counts = { rehearsals: 2, pending: 3, overdue: 2, running: 0, scheduled: 1, withheld: 1, parked: 0 };
      expect(await adapter.worlds.backlog()).toEqual(counts);
      await adapter.worlds.leaseNext(first, { upTo: 1_000_000, token: 'token', leaseMs: 60_000 });
      await adapter.store('fms').park(first, 'fms|e1', 'poison');
      const token = randomUUID();
      await oms.drain(second, { token });
      await oms.drain(second, { token, sent: ['e3'] });
      expect(await adapter.worlds.backlog()).toMatchObject({ pending: 2, overdue: 1, running: 1, parked: 1 });
      expect(await oms.outbox()).toEqual({ events: 2, oldestAt: 5_000 });
    });
  });
}
