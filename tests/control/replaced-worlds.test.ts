import { expect, test } from '@jest/globals';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { StoreAdapter, Worlds } from '../../shared/store/ports/estate-store.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { clientOf } from '../redis/replicas/running-replicas.ts';

type Meanwhile = () => Promise<unknown>;

/** A store that does something else before the next call of one method. */
function interrupted(adapter: StoreAdapter) {
  const waiting = new Map<PropertyKey, Meanwhile>();
  const worlds = new Proxy(adapter.worlds, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        const meanwhile = waiting.get(name);
        waiting.delete(name);
        return meanwhile ? meanwhile().then(() => method.apply(target, args)) : (method.apply(target, args) as unknown);
      };
    },
  });
  return { adapter: { ...adapter, worlds }, before: (name: keyof Worlds, meanwhile: Meanwhile) => void waiting.set(name, meanwhile) };
}

/** An estate with the rehearsal `mine`. */
async function opened() {
  const { adapter, before } = interrupted(createMemoryStore());
  const estate = await anObservedEstate({}, 'silent', adapter);
  const anybody = clientOf(estate.running.gateway);
  await anybody.control('create-rehearsal', { body: { name: 'mine' } });
  const mine = clientOf(estate.running.gateway, 'mine');
  const reset = () => mine.control('reset-rehearsal');
  /** Deletes a rehearsal, and creates another one of the same name. */
  const recreate = async (name = 'mine') => {
    await anybody.control('delete-rehearsal', { params: { name } });
    return anybody.control('create-rehearsal', { body: { name } });
  };
  return {
    mine,
    anybody,
    before,
    reset,
    recreate,
    worldOf: async (name: string) => (await anybody.control('read-rehearsal', { params: { name } })).world,
    ask: async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => {
      const reply = await mine.call(method, `/_control${path}`, body, { as: 'admin' });
      return { status: reply.status, detail: reply.body.detail };
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([mine.close(), anybody.close()]);
      await estate[Symbol.asyncDispose]();
    },
  };
}

const REPLACED = { status: 404, detail: 'This rehearsal has been reset or deleted.' };

test('Verify refuses a world that is reset while its records are read', async () => {
  await using estate = await opened();
  estate.before('data', estate.reset);
  expect(await estate.ask('GET', '/verify')).toEqual(REPLACED);
  expect(await estate.ask('GET', '/verify')).toMatchObject({ status: 200 });
});

test('Set Clock never answers with the clock of a later world', async () => {
  await using estate = await opened();
  estate.before('setClock', estate.reset);
  expect(await estate.ask('PUT', '/clock', { flowing: false })).toEqual(REPLACED);
  expect((await estate.mine.control('read-clock')).flowing).toBe(true);
});

test('Explain Object refuses a world that is reset during the explanation', async () => {
  await using estate = await opened();
  const basket = await estate.mine.call('POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] });
  estate.before('ledger', estate.reset);
  expect(await estate.ask('GET', `/explanations/basket/${basket.body.id}`)).toEqual(REPLACED);
});

test('Read Story refuses a world that is reset while it is read', async () => {
  await using estate = await opened();
  estate.before('entries', estate.reset);
  expect(await estate.ask('GET', '/story')).toEqual(REPLACED);
});

test.each([
  ['Save Snapshot', 'PUT', '/snapshots/gone', {}],
  ['Export Rehearsal', 'GET', '/rehearsals/mine/snapshot', undefined],
  ['Create Rehearsal', 'POST', '/rehearsals', { from: { rehearsal: 'mine' } }],
] as const)('%s refuses a world that is replaced while it settles', async (_operation, method, path, body) => {
  await using estate = await opened();
  estate.before('current', estate.recreate);
  expect(await estate.ask(method, path, body)).toEqual(REPLACED);
});

test.each([
  ['Settle', 'ledger', 'POST', '/settle', {}],
  ['Settle', 'current', 'POST', '/settle', {}],
  ['Advance Clock', 'leaseClock', 'POST', '/clock/advance', { by: 'PT1H' }],
  ['Advance Clock', 'ledger', 'POST', '/clock/advance', { by: 'PT1H' }],
  ['Advance Clock', 'setClock', 'POST', '/clock/advance', { by: 'PT1H' }],
  ['Set Clock', 'current', 'PUT', '/clock', { flowing: false }],
  ['Verify', 'ledger', 'GET', '/verify', undefined],
  ['Wait for Events', 'eventsAbout', 'POST', '/events/wait', { type: 'order-confirmed', timeoutMs: 1 }],
  ['Read Fidelity', 'object', 'GET', '/fidelity', undefined],
  ['Compare Worlds', 'data', 'GET', '/diff?from=mine&to=default', undefined],
] as const)('%s refuses a world that is deleted before the step "%s"', async (_operation, at, method, path, body) => {
  await using estate = await opened();
  estate.before(at, () => estate.anybody.control('delete-rehearsal', { params: { name: 'mine' } }));
  expect(await estate.ask(method, path, body)).toEqual(REPLACED);
});

test('Read Rehearsal describes one world when the rehearsal is reset between two reads', async () => {
  await using estate = await opened();
  for (const method of ['record', 'resolve', 'current', 'ownData'] as const) {
    const old = await estate.anybody.control('read-rehearsal', { params: { name: 'mine' } });
    estate.before(method, estate.reset);
    const reply = await estate.anybody.call('GET', '/_control/rehearsals/mine', undefined, { as: 'admin' });
    const fresh = await estate.anybody.control('read-rehearsal', { params: { name: 'mine' } });
    const { world, createdAt } = reply.body.world === old.world ? old : fresh;
    if (reply.status === 404) expect(reply.body.detail).toBe(REPLACED.detail);
    else expect(reply.body).toMatchObject({ world, createdAt });
  }
});

test('Reset leaves a later rehearsal of the same name', async () => {
  await using estate = await opened();
  let world = '';
  estate.before('ownData', async () => {
    ({ world } = await estate.recreate());
  });
  expect(await estate.ask('POST', '/reset', {})).toMatchObject({ status: 404 });
  expect(await estate.worldOf('mine')).toBe(world);
});

test('Put Webhook registers nothing in a later rehearsal of the same name', async () => {
  await using estate = await opened();
  estate.before('eventsAbout', estate.recreate);
  expect(await estate.ask('PUT', '/webhooks/shop', { url: 'http://127.0.0.1:9/hooks', types: ['order-created'] })).toEqual(REPLACED);
  expect((await estate.mine.control('list-webhooks')).items).toEqual([]);
});

test('A stream ends with its rehearsal, and shows nothing of a later one of the same name', async () => {
  await using estate = await opened();
  const frames = estate.mine.stream('read-stream', { query: { topics: 'clock' } });
  expect((await frames.next()).value).toMatchObject({ event: 'clock' });
  estate.before('current', estate.recreate);
  const rest = [];
  for await (const frame of frames) {
    rest.push(frame);
    if (frame.event === 'gap') break;
  }
  expect(rest.at(-1)).toMatchObject({ event: 'gap', data: { reason: 'deleted' } });
});

test('A fork that cannot be checked is removed, but not a later rehearsal of the same name', async () => {
  await using estate = await opened();
  let world = '';
  estate.before('ledger', async () =>
    estate.before('ledger', async () => {
      ({ world } = await estate.recreate('fork'));
      throw new Error('This fork cannot be read.');
    }),
  );
  const body = { name: 'fork', from: { rehearsal: 'mine' } };
  expect((await estate.anybody.call('POST', '/_control/rehearsals', body, { as: 'admin' })).status).toBe(500);
  expect(await estate.worldOf('fork')).toBe(world);
});
