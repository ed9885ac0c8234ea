import type { World } from '../../domain/world.ts';
import type { Settling } from '../ports/due-work.ts';
import type { RedisBackground } from './connection.ts';
import { repeatedly } from './sweep.ts';

/** Pause between two attempts to listen. */
const RETRY_MS = 1_000;

/** Passes announcements in messages: Redis delivers them to the processes that listen at that moment. */
export function createSettling({ connection, keys, onError }: RedisBackground): Settling & { stop(): void } {
  const listeners = new Set<(world: World) => void>();
  let stopTrying: (() => void) | undefined;

  /** A connection that breaks later is restored with its subscription. */
  async function listen(): Promise<void> {
    const subscriber = await connection.subscriber();
    subscriber.on('message', (_channel: string, world: World) => {
      for (const listener of listeners) listener(world);
    });
    try {
      await subscriber.subscribe(keys.settling);
    } catch (error) {
      subscriber.disconnect();
      throw error;
    }
    stopTrying?.();
  }

  return {
    async announceSettling(world) {
      await connection.idempotently((client) => client.publish(keys.settling, world));
    },
    watchSettling(listener) {
      listeners.add(listener);
      stopTrying ??= repeatedly(RETRY_MS, listen, { onError, atOnce: true });
      return () => listeners.delete(listener);
    },
    stop(): void {
      stopTrying?.();
      listeners.clear();
    },
  };
}
