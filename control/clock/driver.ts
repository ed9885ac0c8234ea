import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ClockStore, Settling, WorldChanges } from '../../shared/store/ports/due-work.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import type { LedgerStore } from '../../shared/store/ports/ledger.ts';
import type { LogStore } from '../../shared/store/ports/logs.ts';
import type { Directory } from '../../shared/store/ports/rehearsals.ts';
import { type Advanced, busyOrGone, createAdvance } from './advance.ts';
import { createChangeWaits } from './change-waits.ts';
import { createDueRunner, type DueRunnerOptions } from './due-runner.ts';
import { createFlow } from './flow.ts';
import { createSettle, limitWait, type Settled } from './settle.ts';

interface ClockDriverOptions extends DueRunnerOptions {
  readonly worlds: Directory &
    ClockStore &
    LedgerStore &
    WorldChanges &
    Settling &
    Pick<JournalReader, 'journalOf'> &
    Pick<LogStore, 'addEntry'>;
}

/**
 * Drives the clocks of all worlds. Every gateway has a driver; leases in the store decide which of them runs an item or advances a clock.
 * If a driver dies, another takes over when its leases expire.
 */
export function createClockDriver(options: ClockDriverOptions) {
  const { worlds, log } = options;
  const stop = new AbortController();
  const stopping = stop.signal;
  const runner = createDueRunner(options);
  const flow = createFlow({ worlds, runner, log, stopping });
  const changes = createChangeWaits(worlds, flow.runAfter);
  const settle = createSettle({ worlds, changes, flow, stopping });
  const advances = createAdvance({ worlds, changes, flow, runner, settle, turns: options.turns, log, stopping });

  return {
    changes,
    /**
     * Waits until a world is settled.
     * @param timeoutMs wall time
     * @param gone aborted when the client has disconnected
     * @throws Problem unknown_rehearsal when the world is reset or deleted
     */
    async settle(world: World, timeoutMs: Ms, gone?: AbortSignal): Promise<Settled> {
      using limit = limitWait(timeoutMs, gone);
      return await settle(world, limit);
    },
    /**
     * Moves a clock and runs what falls due.
     * @param timeoutMs wall time
     * @param gone aborted when the client has disconnected
     * @throws Problem clock_busy, unknown_rehearsal
     */
    async advance(world: World, to: Ms, timeoutMs: Ms, gone?: AbortSignal): Promise<Advanced> {
      using limit = limitWait(timeoutMs, gone);
      return await advances.advance(world, to, limit);
    },
    /** Starts or freezes the clock. @throws Problem clock_busy */
    async setFlowing(world: World, flowing: boolean): Promise<void> {
      const view = await worlds.current(world);
      if (!view) return;
      const { now } = view;
      const status = view.flowing === flowing ? await worlds.status(world) : undefined;
      if (status?.advancing || (!status && !(await worlds.setClock(world, { now, flowing })))) throw await busyOrGone(worlds, world);
    },
    async stop(): Promise<void> {
      stop.abort();
      changes.stop();
      await Promise.all([flow.stop(), advances.stop()]);
    },
  };
}

export type ClockDriver = ReturnType<typeof createClockDriver>;
