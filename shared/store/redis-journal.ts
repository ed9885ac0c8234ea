import { randomUUID } from 'node:crypto';
import type { JournalEntry, World } from './ports.ts';
import type { RedisPart } from './redis-connection.ts';

/** How many journal records a world keeps. */
const JOURNAL_LIMIT = 5_000;
/** How many records wait at most while Redis does not answer; what comes then is not recorded. */
const WAITING_LIMIT = 10_000;
/** How long records are gathered, so that a request with many hops costs one write. */
const GATHER_MS = 5;
const AT_ONCE = 500;

/** Writes journal records without anybody waiting for it: in order, many at a time. */
export function createJournal({ connection, keys, onError }: RedisPart) {
  const waiting: { readonly world: World; readonly record: string }[] = [];
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) await writeThese(waiting.splice(0));
    } finally {
      // At once after the last look: what comes later begins anew.
      writing = undefined;
    }
  }

  async function writeThese(these: typeof waiting): Promise<void> {
    for (const [world, records] of Map.groupBy(these, ({ world: of }) => of)) {
      for (let from = 0; from < records.length; from += AT_ONCE) {
        const some = records.slice(from, from + AT_ONCE).map(({ record }) => record);
        await connection.run('journal', keys.world(world), [randomUUID(), JOURNAL_LIMIT, ...some]).catch(onError);
      }
    }
  }

  /** Writes what waits. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) writing ??= write();
    await writing;
  }

  return {
    add(world: World, entry: JournalEntry): void {
      if (waiting.length >= WAITING_LIMIT) return;
      waiting.push({ world, record: JSON.stringify(entry) });
      timer ??= setTimeout(flush, GATHER_MS).unref();
    },
    async of(world: World): Promise<readonly JournalEntry[]> {
      await flush();
      const records = await connection.idempotently((client) => client.lrange(`${keys.world(world)}:journal`, 0, -1));
      return records.map((record) => JSON.parse(record) as JournalEntry);
    },
    stop: flush,
  };
}

export type RedisJournal = ReturnType<typeof createJournal>;
