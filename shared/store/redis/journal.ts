import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { World } from '../../domain/world.ts';
import {
  callerOf,
  type JournalLimit,
  type JournalLimits,
  type JournalPart,
  journalParts,
  mostOfTrace,
  newestPage,
  oldestPage,
  partOf,
  sizeOf,
} from '../journal-limits.ts';
import { SETTLING_MS, type Settling } from '../ports/due-work.ts';
import type { HopCounts, JournalEntry, JournalReader, RecordedHop } from '../ports/journal.ts';
import { type FoundTrace, joined, type TraceSummary, tracePage } from '../trace-summary.ts';
import { type Argument, type RedisAccess, type RedisBackground, runInWorld } from './connection.ts';
import { listed, piecesOf } from './formats.ts';

/** Capacity of the buffer while Redis does not answer. Hops beyond it are not recorded. */
const emptyRoom = (): Record<JournalPart, { records: number; bytes: number }> => ({
  hops: { records: 10_000, bytes: 32 * 1024 * 1024 },
  anonymous: { records: 500, bytes: 1024 * 1024 },
});
/** Delay of a write, in wall time, so that the hops of one request share it. */
const GATHER_MS = 50;
/** The delay while a client waits for a world. */
const HURRIED_MS = 5;
/** Wall time until a process has received the announcement of such a client, and has written. */
const WRITE_MS = 25;
const MOST_HURRIED = 1_000;
const HOPS_PER_WRITE = 500;
const HOPS_PER_READ = 1_000;

interface JournalOptions extends RedisBackground {
  readonly limits: JournalLimits;
  readonly settling: Settling;
  readonly gatherMs?: number | undefined;
}

/** Records hops in the background: in order, many per write. It gathers the hops of a world for less time while a client waits for the world. */
export function createJournal({ connection, keys, limits, settling, onError, gatherMs = GATHER_MS }: JournalOptions) {
  const room = listed(journalParts, (part) => [part, ...limitArguments(limits[part]), ...limitArguments(mostOfTrace(limits[part]))]);
  let waiting: { readonly world: World; readonly entry: JournalEntry }[] = [];
  let left = emptyRoom();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writesAt = 0;
  /** When this process received the latest announcement of a world, by `performance.now()`. */
  const hurried = new LRUCache<World, number>({ max: MOST_HURRIED, ttl: SETTLING_MS, ttlAutopurge: true });
  /** When other processes have written the hops of a world, by `performance.now()`; earliest first. */
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

  function flushWithin(ms: number): void {
    const at = performance.now() + ms;
    if (timer && writesAt <= at) return;
    clearTimeout(timer);
    writesAt = at;
    timer = setTimeout(flush, ms).unref();
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) writing ??= write();
    await writing;
  }

  /** Wall time until other processes have written the hops of a world. */
  const leftOf = (world: World): number => (expected.get(world) ?? 0) - performance.now();

  function hurry(world: World): void {
    const now = performance.now();
    hurried.set(world, now);
    if (leftOf(world) > HURRIED_MS + WRITE_MS) expected.set(world, now + HURRIED_MS + WRITE_MS);
    if (waiting.length > 0) flushWithin(0);
  }

  /** Resolves when all hops recorded before the call can be read. */
  async function written(world: World): Promise<void> {
    // Without the announcement, the other processes write a moment later.
    if (leftOf(world) > HURRIED_MS + WRITE_MS)
      await settling.announceSettling(world).then(
        () => hurry(world),
        () => undefined,
      );
    const left = leftOf(world);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    await flush();
  }

  /** Other processes receive and forget an announcement at about the same time: this one relies on it for half of that time. */
  const isHurriedEverywhere = (world: World, now: number): boolean =>
    (hurried.get(world) ?? Number.NEGATIVE_INFINITY) > now - SETTLING_MS / 2;

  const leave = settling.watchSettling(hurry);

  return {
    reader: createJournalReader({ connection, keys, written }),
    expect(world: World): void {
      const now = performance.now();
      for (const [of, at] of expected) {
        if (at > now) break;
        expected.delete(of);
      }
      expected.delete(world);
      expected.set(world, now + (isHurriedEverywhere(world, now) ? HURRIED_MS : gatherMs) + WRITE_MS);
    },
    add(world: World, entry: JournalEntry): void {
      const ofPart = left[partOf(entry)];
      if (ofPart.records <= 0 || ofPart.bytes <= 0) return;
      ofPart.records -= 1;
      ofPart.bytes -= sizeOf(entry);
      waiting.push({ world, entry });
      flushWithin(hurried.has(world) ? HURRIED_MS : gatherMs);
    },
    stop: (): Promise<void> => {
      leave();
      return flush();
    },
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

/** A limit above the capacity of a journal. */
const WHOLE_JOURNAL = 1_000_000;

interface JournalReaderOptions extends RedisAccess {
  /** Resolves when all hops of a world that are recorded now are written. */
  readonly written: (world: World) => Promise<void>;
}

function createJournalReader({ connection, keys, written }: JournalReaderOptions): JournalReader {
  const runNow = runInWorld({ connection, keys });
  const run: typeof runNow = async (script, world, ...rest) => {
    await written(world);
    return runNow(script, world, ...rest);
  };
  return {
    journalOf: async (world, { correlationId, after, limit = WHOLE_JOURNAL, bodies = true } = {}) => {
      const ask = [correlationId === undefined ? 0 : 1, correlationId ?? '', after ?? '', limit, bodies ? 1 : 0, ...journalParts];
      const [now, discardedTo, newest, hops, anonymous] = (await run('readJournal', world, ...ask)) as JournalReply;
      const found = { hops: hops.map(readHop(now)), anonymous: anonymous.map(readHop(now)).map(asAnonymous) };
      const entries =
        after === undefined
          ? newestPage({ hops: found.hops.reverse(), anonymous: found.anonymous.reverse() }, limit)
          : oldestPage(found, limit);
      return {
        entries: bodies ? entries : entries.map(withoutBodies),
        discardedTo: Number(discardedTo),
        newest: Number(newest),
      };
    },
    hop: async (world, requestId) => {
      const [now, hop, anonymous] = (await run('readHop', world, requestId, ...journalParts)) as [string, Hop | [], Hop | []];
      if (hop.length > 0) return readHop(now)(hop as Hop);
      return anonymous.length > 0 ? asAnonymous(readHop(now)(anonymous as Hop)) : undefined;
    },
    journaled: async (world, requestIds) => {
      const found = new Set<string>();
      for (const some of piecesOf(requestIds, HOPS_PER_READ)) {
        const places = await connection.idempotently((client) => client.hmget(`${keys.world(world)}:hopids`, ...some));
        for (const [position, requestId] of some.entries()) if (places[position] !== null) found.add(requestId);
      }
      return found;
    },
    journalSize: async (world) => {
      const [hops, traces, discarded] = (await run('journalSize', world)) as [number, number, number];
      return { hops, traces, discarded };
    },
    hopCounts: async (world) => readHopCounts((await run('hopCounts', world)) as readonly string[]),
    traces: async (world, { before, limit }) => {
      const [hops, anonymous] = (await run('readTraces', world, before === undefined ? '+inf' : `(${before}`, limit + 1)) as [
        TraceReply[],
        TraceReply[],
      ];
      return tracePage({ hops: hops.map(readFound), anonymous: anonymous.map(readFound) }, limit);
    },
    tracesOf: async (world, correlationIds) => {
      if (correlationIds.length === 0) return [];
      const found = (await run('readTracesOf', world, ...correlationIds)) as [string, string, string][];
      return found.flatMap(
        ([correlationId, hops, anonymous]) => joined({ correlationId, hops: readTrace(hops), anonymous: readTrace(anonymous) }) ?? [],
      );
    },
  };
}

/** An entry of a stream. */
type Hop = readonly [id: string, fields: readonly string[]];
type JournalReply = [now: string, discardedTo: string, newest: string, hops: Hop[], anonymous: Hop[]];

const readHop =
  (now: string) =>
  ([id, fields]: Hop): RecordedHop => {
    const [, requestId = '', , correlationId = '', , , , at, , head = '', , bodies] = fields;
    return { sequence: Number.parseInt(id, 10), requestId, correlationId, head, bodies, ageMs: Number(now) - Number(at) };
  };

const asAnonymous = (hop: RecordedHop): RecordedHop => ({ ...hop, anonymous: true });
const withoutBodies = ({ bodies: _bodies, ...hop }: RecordedHop): RecordedHop => hop;

type TraceReply = [correlationId: string, sequence: string, hops: string, anonymous: string];

const readFound = ([correlationId, sequence, hops, anonymous]: TraceReply): FoundTrace => ({
  correlationId,
  sequence: Number(sequence),
  hops: readTrace(hops),
  anonymous: readTrace(anonymous),
});

type Names = Readonly<Record<string, 1>>;
type StoredSummary = Readonly<Record<'s' | 'b' | 'e' | 'n' | 'f' | 'c' | 'd' | 'r' | 'k' | 'v' | 'x', number>> &
  Readonly<Record<'m' | 'p' | 'i' | 'a', string>> &
  Readonly<Record<'F' | 'A' | 'I', Names>> & { readonly o: boolean };

/** `lua/traces.ts` writes it. */
function readTrace(json: string): TraceSummary | undefined {
  if (json === '') return undefined;
  const stored = JSON.parse(json) as StoredSummary;
  return {
    sequence: stored.s,
    startedAt: stored.b,
    lastAt: stored.e,
    at: stored.n,
    isFromOutside: stored.o,
    namedAt: stored.f,
    method: stored.m,
    path: stored.p,
    api: stored.i,
    application: stored.a,
    status: stored.c,
    durationMs: stored.d,
    requests: stored.r,
    calls: stored.k,
    deliveries: stored.v,
    failed: stored.x,
    faults: Object.keys(stored.F),
    applications: Object.keys(stored.A),
    apis: Object.keys(stored.I),
  };
}

/** `lua/traces.ts` writes the fields. Names have no blanks. */
function readHopCounts(reply: readonly string[]): HopCounts {
  const applications = new Map<string, { hops: number; failed: number; faults: string[] }>();
  const calls = new Map<string, { from: string; to: string; calls: number; failed: number }>();
  for (let at = 0; at < reply.length; at += 2) {
    const [field, number] = [reply[at] ?? '', Number(reply[at + 1])];
    const [of = '', name = '', other = ''] = field.split(' ');
    const between = calls.get(`${name} ${other}`) ?? { from: name, to: other, calls: 0, failed: 0 };
    const counted = applications.get(name) ?? { hops: 0, failed: 0, faults: [] };
    if (of.startsWith('calls')) calls.set(`${name} ${other}`, { ...between, [of === 'calls' ? 'calls' : 'failed']: number });
    else if (of === 'fault') applications.set(name, { ...counted, faults: [...counted.faults, other].sort() });
    else applications.set(name, { ...counted, [of]: number });
  }
  return { applications: [...applications].map(([application, counts]) => ({ application, ...counts })), calls: [...calls.values()] };
}
