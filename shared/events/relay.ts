import { randomUUID } from 'node:crypto';
import type { Logger } from '../runtime/logger.ts';
import { rehearsalOf } from '../simulation/context.ts';
import type { Store, World } from '../store/ports.ts';
import type { Bus } from './bus.ts';

const RETRY_MS = 1_000;
/** How often outboxes are looked for whose relay died. */
const SWEEP_MS = 1_000;

/**
 * Carries an application's committed events from its outbox to the bus: one awaited batch at a time per world, acknowledged after
 * it was sent. `kick` is called after every commit; a relay that is already at work picks up what was added meanwhile.
 */
export function createRelay({ store, bus, log }: { store: Store; bus: Bus; log: Logger }) {
  const working = new Map<World, { again: boolean }>();
  const runs = new Set<Promise<void>>();
  let stopped = false;

  async function run(world: World, state: { again: boolean }): Promise<void> {
    const token = randomUUID();
    do {
      state.again = false;
      let sent: readonly string[] = [];
      for (;;) {
        const batch = await store.drain(world, token, sent);
        if (batch.length === 0) break;
        await publish(world, batch);
        sent = batch.map(({ id }) => id);
      }
    } while (state.again && !stopped);
  }

  async function publish(world: World, batch: readonly { id: string; topic: string; key: string; json: string }[]): Promise<void> {
    const rehearsal = rehearsalOf(world);
    const messages = batch.map(({ id, topic, key, json }) => ({
      topic,
      key,
      json,
      headers: { id, world, rehearsal, 'content-type': 'application/cloudevents+json; charset=UTF-8' },
    }));
    for (;;) {
      try {
        return await bus.publish(messages);
      } catch (error) {
        log.warn({ err: error, application: store.application, world }, 'events could not be published; they stay in the outbox');
        if (stopped) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  const sweep = (): void => {
    store
      .unsent()
      .then((worlds) => {
        for (const world of worlds) relay.kick(world);
      })
      .catch((error: unknown) => log.warn({ err: error, application: store.application }, 'looking for unsent events failed'));
  };
  const sweeping = setInterval(sweep, SWEEP_MS);
  sweeping.unref();

  const relay = {
    kick(world: World): void {
      const at = working.get(world);
      if (at) {
        at.again = true;
        return;
      }
      if (stopped) return;
      const state = { again: false };
      working.set(world, state);
      const running = run(world, state)
        .catch((error: unknown) =>
          log.warn({ err: error, application: store.application, world }, 'relay stopped early; the next commit goes on'),
        )
        .finally(() => {
          working.delete(world);
          runs.delete(running);
          if (state.again) relay.kick(world);
        });
      runs.add(running);
    },
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(sweeping);
      await Promise.all(runs);
    },
  };
  // What a process before this one left behind need not wait.
  sweep();
  return relay;
}

export type Relay = ReturnType<typeof createRelay>;
