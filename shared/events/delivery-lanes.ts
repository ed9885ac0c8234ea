export interface Delivery {
  /** Deliveries of one lane happen one after the other, in the order in which they were added. */
  readonly lane: string;
  readonly deliver: () => Promise<void>;
  readonly done?: () => void;
}

export interface LaneOptions {
  /** How many lanes may deliver at the same time. */
  readonly concurrency: number;
  /** From how many deliveries on, running or waiting, there is no room for another. */
  readonly capacity: number;
  /** Told of every delivery that failed; it is tried again after a pause. */
  readonly failed: (error: unknown) => void;
}

interface Lane {
  readonly name: string;
  readonly deliveries: Delivery[];
  failures: number;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Several keys at once, each in order. A delivery that fails holds up its own lane, and no other. */
export function createDeliveryLanes({ concurrency, capacity, failed }: LaneOptions) {
  const lanes = new Map<string, Lane>();
  const startable: Lane[] = [];
  const running = new Set<Promise<void>>();
  /** One for all who wait for room, however often they ask. */
  let room: PromiseWithResolvers<void> | undefined;
  let size = 0;
  let state: 'open' | 'finishing' | 'stopped' = 'open';

  function startNext(): void {
    while (state !== 'stopped' && running.size < concurrency) {
      const lane = startable.shift();
      const delivery = lane?.deliveries[0];
      if (!lane || !delivery) return;
      const run = attempt(lane, delivery).finally(() => {
        running.delete(run);
        startNext();
      });
      running.add(run);
    }
  }

  async function attempt(lane: Lane, delivery: Delivery): Promise<void> {
    try {
      await delivery.deliver();
    } catch (error) {
      failed(error);
      return retryLater(lane);
    }
    lane.failures = 0;
    lane.deliveries.shift();
    if (lane.deliveries.length > 0) startable.push(lane);
    else lanes.delete(lane.name);
    size -= 1;
    delivery.done?.();
    room?.resolve();
    room = undefined;
  }

  /** Not at once: what fails is most often something that is away, and is away for the other lanes too. */
  function retryLater(lane: Lane): void {
    if (state !== 'open') return;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** lane.failures);
    lane.failures += 1;
    setTimeout(() => {
      startable.push(lane);
      startNext();
    }, pause).unref();
  }

  return {
    add(delivery: Delivery): void {
      if (state !== 'open') return;
      size += 1;
      const lane = lanes.get(delivery.lane);
      if (lane) {
        lane.deliveries.push(delivery);
        return;
      }
      const opened: Lane = { name: delivery.lane, deliveries: [delivery], failures: 0 };
      lanes.set(delivery.lane, opened);
      startable.push(opened);
      startNext();
    },
    hasRoom: (): boolean => size < capacity,
    /** Resolves when a delivery has ended, so that there may be room. */
    room(): Promise<void> {
      room ??= Promise.withResolvers();
      return room.promise;
    },
    /** Takes nothing more. Finishes what runs, and what waits too when asked; what has just failed is left alone. */
    async stop(finish: 'running' | 'all'): Promise<void> {
      state = finish === 'all' ? 'finishing' : 'stopped';
      while (running.size > 0) await Promise.all(running);
      state = 'stopped';
    },
  };
}

export type DeliveryLanes = ReturnType<typeof createDeliveryLanes>;
