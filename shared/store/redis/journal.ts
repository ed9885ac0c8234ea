import { randomUUID } from 'node:crypto';
import type { World } from '../../domain/world.ts';
import { callerOf } from '../hop-counts.ts';
import { type JournalLimit, type JournalLimits, type JournalPart, journalParts, mostOfTrace, partOf, sizeOf } from '../journal-limits.ts';
import type { JournalEntry } from '../ports/journal.ts';
import type { Argument, RedisBackground } from './connection.ts';
import { listed } from './formats.ts';
import { createJournalReader } from './journal-reader.ts';

/** Capacity of the buffer while Redis does not answer. Hops beyond it are not recorded. */
const emptyRoom = (): Record<JournalPart, { records: number; bytes: number }> => ({
  hops: { records: 10_000, bytes: 32 * 1024 * 1024 },
  anonymous: { records: 500, bytes: 1024 * 1024 },
});
/** Delay of a write, in wall time, so that the hops of one request share it. */
const GATHER_MS = 50;
/** Wall time after which a process has written a hop that it recorded. */
const WRITTEN_MS = GATHER_MS + 25;
const HOPS_PER_WRITE = 500;

/** Records hops in the background: in order, many per write. */
export function createJournal({ connection, keys, limits, onError }: RedisBackground & { readonly limits: JournalLimits }) {
  const room = listed(journalParts, (part) => [part, ...limitArguments(limits[part]), ...limitArguments(mostOfTrace(limits[part]))]);
  let waiting: { readonly world: World; readonly entry: JournalEntry }[] = [];
  let left = emptyRoom();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** By world, when other processes will have written its hops, as `performance.now()`; earliest first. */
  const expected = new Map<World, number>();

  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const these = waiting;
        waiting = [];
        left = emptyRoom();
        await writeThese(these);
      }
    } finally {
      // In the same step as the last check of `waiting`: a later hop starts a new write.
      writing = undefined;
    }
  }

  async function writeThese(these: typeof waiting): Promise<void> {
    for (const [world, records] of Map.groupBy(these, ({ world: of }) => of)) {
      for (let from = 0; from < records.length; from += HOPS_PER_WRITE) {
        const some = records.slice(from, from + HOPS_PER_WRITE).flatMap(({ entry }) => hopArguments(entry));
        await connection.run('journal', keys.world(world), [randomUUID(), ...room, ...some]).catch(onError);
      }
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) writing ??= write();
    await writing;
  }

  /** Resolves when the hops that were recorded by now can be read. */
  async function written(world: World): Promise<void> {
    const left = (expected.get(world) ?? 0) - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    await flush();
  }

  return {
    reader: createJournalReader({ connection, keys, written }),
    expect(world: World): void {
      const now = performance.now();
      for (const [of, at] of expected) {
        if (at > now) break;
        expected.delete(of);
      }
      expected.delete(world);
      expected.set(world, now + WRITTEN_MS);
    },
    add(world: World, entry: JournalEntry): void {
      const ofPart = left[partOf(entry)];
      if (ofPart.records <= 0 || ofPart.bytes <= 0) return;
      ofPart.records -= 1;
      ofPart.bytes -= sizeOf(entry);
      waiting.push({ world, entry });
      timer ??= setTimeout(flush, GATHER_MS).unref();
    },
    stop: flush,
  };
}

export type RedisJournal = ReturnType<typeof createJournal>;

const limitArguments = ({ records, bytes }: JournalLimit): readonly Argument[] => [records, bytes];

function hopArguments(entry: JournalEntry): readonly Argument[] {
  const { requestId, correlationId, head, bodies = '', facts } = entry;
  const { kind, application, api, method, path, status, startedAt, at, durationMs, faults } = facts;
  const caller = callerOf(facts) ?? '';
  return [
    ...[partOf(entry), requestId, correlationId, sizeOf(entry), head, bodies],
    ...[kind, application, caller, api, method, path, status, startedAt, at, durationMs],
    ...listed(faults, (fault) => [fault]),
  ];
}
