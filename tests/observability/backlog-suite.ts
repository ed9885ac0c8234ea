import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NEVER } from '../../shared/domain/time.ts';
import type { PlannedDue } from '../../shared/store/ports/due-work.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { PlannedEvent } from '../../shared/store/ports/plan.ts';
import { aPlan } from '../ports/a-plan.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
const NOTHING = { events: 0 };

/** What waits in a store, as its metrics count it. */
export function backlogSuite(name: string, create: () => Promise<StoreAdapter>): void {
  describe(`The backlog in ${name}`, () => {
    let adapter: StoreAdapter;
    beforeAll(async () => {
      adapter = await create();
    });
    afterAll(() => adapter.close());

    const event = (id: string, committedAt: number): PlannedEvent => ({
      ...{ id, topic: 'uc.order.events', key: 'k', json: '{}', subscribers: ['fms'], committedAt },
    });
    const due = (key: string, at: number, parts: Partial<PlannedDue> = {}): PlannedDue => ({
      ...{ kind: 'timer', key, at, payload: '1', correlationId: 'c', ...parts },
    });

    test('is counted over all worlds: the unsent events of an application with the age of the oldest, and all deliveries and due work', async () => {
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
      // No fault of the second world keeps it there: it is due at once.
      expect(await adapter.worlds.backlog()).toEqual({
        ...{ rehearsals: 2, pending: 3, overdue: 2, running: 0, scheduled: 1, withheld: 1, parked: 0 },
      });
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
