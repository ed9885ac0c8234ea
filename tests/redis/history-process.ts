import type { World } from '../../shared/domain/world.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { aPlan } from '../ports/a-plan.ts';
import { LISTS, NAMES, ONCE, type Step, type Task } from './history-step.ts';

/** One process of a history: runs the same steps on the same objects as concurrent processes, and reports each outcome. */

/** Longest pause between two steps of a lane: some steps overlap, and some do not. */
const PAUSE_MS = 16;
/** Fewest steps of a lane on a slow machine. */
const LEAST_STEPS = 40;

const clock = (): number => Number(process.hrtime.bigint()) / 1e6;
const random = (below: number): number => Math.floor(Math.random() * below);

type Done = Pick<Step, 'key' | 'value'> & { readonly ok: boolean };

const steps = ({ adapter, world, name }: { adapter: StoreAdapter; world: World; name: string }) => {
  const store = adapter.store('oms');
  const list = () => LISTS[random(LISTS.length)] ?? '';
  const items = async (key: string) => {
    const found = await store.object(world, 'lists', key);
    return { read: found?.version ?? 0, items: found ? (JSON.parse(found.json) as string[]) : [] };
  };
  let count = 0;
  const fresh = (): string => `${name}-${++count}`;
  return {
    /** One commit has three effects, which must not be seen apart: the list, the count of its items, and an event. */
    append: async (key = list(), value = fresh()): Promise<Done> => {
      const before = await items(key);
      const { read } = before;
      const put = [{ collection: 'lists', id: key, read, version: read + 1, json: JSON.stringify([...before.items, value]) }];
      const move = [{ counter: 'appended', key, field: 'items', by: 1 }];
      const events = [{ id: value, topic: 't', key, json: '{}', subscribers: [] }];
      return { key, value, ok: (await store.commit(world, aPlan({ put, move, events }))).ok };
    },
    read: async (key = list()): Promise<Done> => ({ key, value: JSON.stringify((await items(key)).items), ok: true }),
    take: async (): Promise<Done> => {
      const move = [{ counter: 'stock', key: 'sku', field: 'reserved', by: 1 }];
      const guard = [{ counter: 'stock', key: 'sku', terms: { onHand: 1, reserved: -1 } as const }];
      return { key: 'sku', value: '', ok: (await store.commit(world, aPlan({ move, guard }))).ok };
    },
    name: async (key = `name-${random(NAMES)}`, value = fresh()): Promise<Done> => {
      const put = [{ collection: 'named', id: value, read: 0, version: 1, json: '{}' }];
      const unique = [{ collection: 'named', name: 'name', id: value, value: key, was: null }];
      return { key, value, ok: (await store.commit(world, aPlan({ put, unique }))).ok };
    },
    once: async (key = `once-${random(ONCE)}`, value = fresh()): Promise<Done> => {
      const claim = await store.claim(world, { key, fingerprint: 'f', now: 1_000, leaseMs: 60_000 });
      if (claim.is !== 'ours') return { key, value, ok: false };
      const { ok } = await store.commit(world, {
        ...aPlan(),
        fence: { kind: 'claim', key, token: claim.token },
        move: [{ counter: 'once', key, field: 'effects', by: 1 }],
        outcome: { json: value, keepUntil: 9_000 },
      });
      return { key, value, ok };
    },
  };
};

async function live(task: Task): Promise<readonly Step[]> {
  const adapter = await createRedisStore({ url: task.url, prefix: task.prefix, commandTimeoutMs: 300 });
  const history: Step[] = [];
  const kinds = ['append', 'append', 'append', 'read', 'take', 'name', 'once'] as const;
  const until = clock() + task.ms;
  const lane = async (number: number): Promise<void> => {
    const can = steps({ adapter, world: task.world, name: `${task.name}.${number}` });
    for (let taken = 0; clock() < until || taken < LEAST_STEPS; taken += 1) {
      const kind = kinds[random(kinds.length)] ?? 'read';
      const from = clock();
      const done = await can[kind]().catch((error: { code?: string }) => {
        if (error.code === 'dependency_unavailable') return undefined;
        throw error;
      });
      const outcome = !done ? 'unknown' : done.ok ? 'done' : 'refused';
      history.push({ kind, key: done?.key ?? '', value: done?.value ?? '', from, to: clock(), outcome });
      await new Promise((resolve) => setTimeout(resolve, random(PAUSE_MS)));
    }
  };
  await Promise.all(Array.from({ length: task.lanes }, (_, number) => lane(number)));
  await adapter.close();
  return history;
}

process.on('message', (task: Task) => {
  live(task).then(
    (history) => process.send?.(history, () => process.disconnect()),
    (error: unknown) => {
      throw error;
    },
  );
});
