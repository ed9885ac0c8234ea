import { expect, test } from '@jest/globals';
import { startLoyaltyCopy } from '../support/loyalty-copy.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { describeReplicas } from './replicas/running-replicas.ts';

describeReplicas('A real system in the shadow, with Redis and two processes', {}, (estate) => {
  test('The differences that both processes find are counted in one ledger', async () => {
    await using copy = await startLoyaltyCopy(({ path }, answered) =>
      path.includes('/balance') ? { ...answered, body: { ...answered.body, nextTierThreshold: 800 } } : answered,
    );
    await using rehearsal = await rehearsalAt(estate.gateway, undefined, undefined, {
      'loyalty-platform': { url: copy.url, mode: 'shadow' },
    });
    await Promise.all(Array.from({ length: 20 }, () => rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })));
    expect((await rehearsal.control('read-fidelity')).items).toMatchObject([
      {
        compared: 20,
        equal: 0,
        skipped: 0,
        waiting: 0,
        operations: [{ api: 'get-member-balance-api', compared: 20 }],
        differences: [{ pointer: '/nextTierThreshold', count: 20, ours: '1000', theirs: '800' }],
      },
    ]);
  });
});
