import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { growWorld } from '../../bench/growth/grown-world.ts';
import { BEYOND_SMALL, operations, playStory, SMALL, type Story } from '../../bench/growth.ts';
import { createEstateClient, type EstateClient } from '../../rehearsal/estate-client.ts';
import type { World } from '../../shared/domain/world.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { anObservedEstate, type ObservedEstate } from '../observability/observed-estate.ts';
import { ADMIN } from '../support/estate.ts';

const MANY = 1_000;

interface Counted {
  calls: number;
  /** Objects, events and hops returned by the store. */
  rows: number;
}

/** The store calls for one world. */
function counting(adapter: StoreAdapter): { adapter: StoreAdapter; counted: (world: World) => Counted } {
  const counts = new Map<World, Counted>();
  const counted = (world: World): Counted => {
    const found = counts.get(world) ?? { calls: 0, rows: 0 };
    counts.set(world, found);
    return found;
  };
  const rowsOf = (answer: unknown): number => {
    if (Array.isArray(answer)) return answer.length;
    return Object.values(answer ?? {}).reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0);
  };
  const watched = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as unknown;
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          const answer = method.apply(target, args) as unknown;
          if (!isPromise(answer) || typeof args[0] !== 'string' || !args[0].includes('~')) return answer;
          const count = counted(args[0] as World);
          count.calls += 1;
          return answer.then((found: unknown) => {
            count.rows += rowsOf(found);
            return found;
          });
        };
      },
    });
  return { adapter: { ...adapter, store: (name) => watched(adapter.store(name)), worlds: watched(adapter.worlds) }, counted };
}

const isPromise = (answer: unknown): answer is Promise<unknown> => typeof (answer as { then?: unknown } | undefined)?.then === 'function';

interface Prepared {
  readonly client: EstateClient;
  readonly world: World;
  readonly story: Story;
}

describe('Reads of a grown rehearsal', () => {
  let estate: ObservedEstate;
  let rehearsals: { readonly small: Prepared; readonly grown: Prepared };
  let counted: (world: World) => Counted;

  beforeAll(async () => {
    const watched = counting(createMemoryStore());
    counted = watched.counted;
    estate = await anObservedEstate({}, 'silent', watched.adapter);
    const { gateway } = estate.running;
    const prepare = async (rehearsal: string, grown: boolean): Promise<Prepared> => {
      const { credentials, world } = await estate.client.control('create-rehearsal', { body: { name: rehearsal } });
      const client = createEstateClient({ gateway, admin: ADMIN, ...credentials, rehearsal });
      await client.control('set-clock', { body: { flowing: false } });
      await playStory(client);
      await growWorld(watched.adapter, world as World, SMALL);
      if (grown) await growWorld(watched.adapter, world as World, { objects: MANY, events: MANY, hops: MANY }, BEYOND_SMALL);
      return { client, world: world as World, story: await playStory(client) };
    };
    rehearsals = { small: await prepare('small', false), grown: await prepare('grown', true) };
  });

  afterAll(async () => {
    await Promise.all([rehearsals?.small.client.close(), rehearsals?.grown.client.close()]);
    await estate?.[Symbol.asyncDispose]();
  });

  /** The store calls of the second run of an operation and its work; the first run fills caches. */
  async function costOf({ ask }: (typeof operations)[number], { client, world, story }: Prepared): Promise<Counted> {
    await ask(client, story);
    await client.control('settle');
    const before = { ...counted(world) };
    await ask(client, story);
    const after = counted(world);
    return { calls: after.calls - before.calls, rows: after.rows - before.rows };
  }

  test.each(operations.map((operation) => ({ ...operation })))(
    `"$what" reads as much from the store in a rehearsal with ${MANY} objects, events and hops as in a small one`,
    async (operation) => {
      const small = await costOf(operation, rehearsals.small);
      const grown = await costOf(operation, rehearsals.grown);
      expect(small.calls).toBeGreaterThan(0);
      expect(grown.calls).toBeLessThanOrEqual(small.calls * 1.2 + 5);
      expect(grown.rows).toBeLessThanOrEqual(small.rows * 1.2 + 5);
    },
  );
});
