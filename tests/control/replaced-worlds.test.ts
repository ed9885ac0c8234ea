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
  return {
    mine,
    anybody,
    before,
    reset,
    ask: async (method: 'GET' | 'PUT', path: string, body?: object) => {
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

test('Read Rehearsal describes one world when the rehearsal is reset meanwhile', async () => {
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
