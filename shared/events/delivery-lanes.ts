interface LaneTask {
  /** Deliveries of one lane run one after the other, first added first. */
  readonly lane: string;
  readonly deliver: () => Promise<void>;
  readonly done?: () => void;
}

interface LaneOptions {
  /** Maximum number of lanes that deliver concurrently. */
  readonly concurrency: number;
  /** Maximum number of deliveries in all lanes, running or waiting. */
  readonly capacity: number;
  /** Called for every failed delivery. It is retried after a pause. */
  readonly failed: (error: unknown) => void;
}

interface Lane {
  readonly name: string;
  readonly deliveries: LaneTask[];
  failures: number;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Runs deliveries of several lanes concurrently, and each lane in order. A failing delivery delays only its own lane. */
export function createDeliveryLanes({ concurrency, capacity, failed }: LaneOptions) {
  const lanes = new Map<string, Lane>();
  const startable: Lane[] = [];
  const running = new Set<Promise<void>>();
  /** Shared by all callers that wait for room. */
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

  async function attempt(lane: Lane, delivery: LaneTask): Promise<void> {
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

  /** Retries after a pause, because most failures are unavailable dependencies, which affect all lanes. */
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
    add(delivery: LaneTask): void {
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
    /** Resolves when the next delivery ends, after which there may be room. */
    room(): Promise<void> {
      room ??= Promise.withResolvers();
      return room.promise;
    },
    /** Accepts no more deliveries, and finishes running ones or all. Failed deliveries are not retried. */
    async stop(finish: 'running' | 'all'): Promise<void> {
      state = finish === 'all' ? 'finishing' : 'stopped';
      while (running.size > 0) await Promise.all(running);
      state = 'stopped';
    },
  };
}

export type DeliveryLanes = ReturnType<typeof createDeliveryLanes>;
