import { describe, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { CASH } from '../support/steps/tender.ts';

describe('The release of what an order no longer needs', () => {
  test('A release with lost answers is retried even after a return has begun', async () => {
    await using rehearsal = await newRehearsal({ returns: 'manual' });
    await rehearsal.fault('lost', { match: { api: 'release-holds' }, fault: { kind: 'lost-response' } });
    const sale = await rehearsal.sale();
    await rehearsal.pay(sale.id, CASH, 2598);
    await rehearsal.announced(await rehearsal.order(sale.id), 1);
    await rehearsal.noFaults();
    await rehearsal.advance('P8D');
    await rehearsal.verify();
  });
});
