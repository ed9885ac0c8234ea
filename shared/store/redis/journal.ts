import { randomUUID } from 'node:crypto';
import type { World } from '../../domain/world.ts';
import { JOURNAL_LIMITS, type JournalPart, journalPage, journalParts, partOf, sizeOf } from '../journal-limits.ts';
import type { JournalAsk, JournalEntry, JournalPage } from '../ports/journal.ts';
import type { RedisBackground } from './connection.ts';
import { listed } from './formats.ts';

/** Capacity of the buffer while Redis does not answer. Hops beyond it are not recorded. */
const emptyRoom = (): Record<JournalPart, { records: number; bytes: number }> => ({
  hops: { records: 10_000, bytes: 32 * 1024 * 1024 },
  anonymous: { records: 500, bytes: 1024 * 1024 },
});
/** Delay of a write, in wall time, so that the hops of one request share it. */
const GATHER_MS = 5;
const AT_ONCE = 500;
/** More than a journal can hold. */
const ALL = 1_000_000;

/** Records hops in the background: in order, many per write. */
export function createJournal({ connection, keys, onError }: RedisBackground) {
  let waiting: { readonly world: World; readonly entry: JournalEntry }[] = [];
  let room = emptyRoom();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const these = waiting;
        waiting = [];
        room = emptyRoom();
        await writeThese(these);
      }
    } finally {
      // In the same step as the last check of `waiting`: a later hop starts a new write.
      writing = undefined;
    }
  }

  async function writeThese(these: typeof waiting): Promise<void> {
    for (const [world, records] of Map.groupBy(these, ({ world: of }) => of)) {
      for (let from = 0; from < records.length; from += AT_ONCE) {
        const some = records.slice(from, from + AT_ONCE).flatMap(({ entry }) => hopArguments(entry));
        await connection.run('journal', keys.world(world), [randomUUID(), ...LIMITS, ...some]).catch(onError);
      }
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) writing ??= write();
    await writing;
  }

  return {
    add(world: World, entry: JournalEntry): void {
      const left = room[partOf(entry)];
      if (left.records <= 0 || left.bytes <= 0) return;
      left.records -= 1;
      left.bytes -= sizeOf(entry);
      waiting.push({ world, entry });
      timer ??= setTimeout(flush, GATHER_MS).unref();
    },
    async page(world: World, { correlationId, limit = ALL }: JournalAsk): Promise<JournalPage> {
      await flush();
      const ask = [correlationId === undefined ? 0 : 1, correlationId ?? '', limit, ...journalParts];
      const [now = '', truncated, ...parts] = (await connection.run('readJournal', keys.world(world), ask)) as [string, string, ...Hop[][]];
      const [hops = [], anonymous = []] = parts.map((newestFirst) => newestFirst.map(readHop).reverse());
      const found = { hops, anonymous: anonymous.map((hop) => ({ ...hop, anonymous: true as const })) };
      const entries = journalPage(found, limit).map(({ order: _order, at, ...entry }) => ({ ...entry, ageMs: Number(now) - at }));
      return { entries, truncated: truncated === '1' };
    },
    async has(world: World, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
      if (requestIds.length === 0) return new Set();
      const places = await connection.idempotently((client) => client.hmget(`${keys.world(world)}:hopids`, ...requestIds));
      return new Set(requestIds.filter((_requestId, position) => places[position] !== null));
    },
    stop: flush,
  };
}

export type RedisJournal = ReturnType<typeof createJournal>;

const LIMITS = listed(journalParts, (part) => [part, JOURNAL_LIMITS[part].records, JOURNAL_LIMITS[part].bytes]);

const hopArguments = (entry: JournalEntry) => [partOf(entry), entry.requestId, entry.correlationId, sizeOf(entry), entry.json];

/** An entry of a stream. */
type Hop = readonly [id: string, fields: readonly string[]];

interface ReadHop extends JournalEntry {
  readonly order: number;
  /** Wall time. */
  readonly at: number;
}

function readHop([id, fields]: Hop): ReadHop {
  const [, requestId = '', , correlationId = '', , , , at, , json = ''] = fields;
  return { order: Number.parseInt(id, 10), at: Number(at), requestId, correlationId, json };
}
