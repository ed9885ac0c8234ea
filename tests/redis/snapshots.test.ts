import { expect, test } from '@jest/globals';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { describeReplicas } from './replicas/running-replicas.ts';

describeReplicas('Snapshots in Redis, with two gateways', {}, (estate) => {
  test('A snapshot from Redis is the same file after it was opened in memory and kept there, and it opens in Redis again', async () => {
    await using embedded = await anObservedEstate({});
    await using rehearsal = await rehearsalAt(estate.gateway, { warehouse: 'manual' });
    const { id } = await rehearsal.draft();
    await rehearsal.completed();
    await rehearsal.fault('late', { match: { event: 'basket-created' }, fault: { kind: 'withhold' } });
    await rehearsal.basket();
    await rehearsal.settle();
    await rehearsal.control('set-clock', { body: { flowing: false } });
    await rehearsal.control('save-snapshot', { params: { name: 'there' } });
    const first = await rehearsal.control('read-snapshot', { params: { name: 'there' } });

    const inMemory = { gateway: embedded.running.gateway, credentials: DEMO_CREDENTIALS };
    await using opening = await EstateRehearsal.create(inMemory);
    expect(await opening.control('upload-snapshot', { body: first })).toMatchObject({ name: 'there', kept: true });
    await using opened = await EstateRehearsal.create(inMemory, { name: rehearsal.name, from: { snapshot: 'there' } });
    expect((await opened.control('verify')).holds).toBe(true);
    await opened.control('save-snapshot', { params: { name: 'there' } });
    const second = await opened.control('read-snapshot', { params: { name: 'there' } });
    const { digest: _first, takenAt: _then, ...before } = first;
    const { digest: _second, takenAt: _now, ...after } = second;
    expect(after).toEqual(before);

    await rehearsal.control('upload-snapshot', { query: { name: 'back' }, body: second });
    const access = { gateway: estate.gateway, credentials: DEMO_CREDENTIALS };
    await using back = await EstateRehearsal.create(access, { from: { snapshot: 'back' } });
    await using fork = await EstateRehearsal.create(access, { from: { rehearsal: back.name } });
    for (const one of [back, fork]) {
      await one.deleteFault('late');
      await one.advance('P2D');
      expect([(await one.api('get-order-api', { params: { id } })).state, (await one.control('verify')).holds]).toEqual([
        'cancelled',
        true,
      ]);
    }
    for (const name of ['there', 'back']) await rehearsal.control('delete-snapshot', { params: { name } });
  });
});
