import type { World } from '../../domain/world.ts';
import { journalParts, newestPage, oldestPage } from '../journal-limits.ts';
import type { HopCounts, JournalReader, RecordedHop } from '../ports/journal.ts';
import { type FoundTrace, joined, type TraceSummary, tracePage } from '../trace-summary.ts';
import { type RedisAccess, runInWorld } from './connection.ts';

/** A limit above the capacity of a journal. */
const WHOLE_JOURNAL = 1_000_000;

export interface JournalReaderOptions extends RedisAccess {
  /** Resolves when the hops of a world that were recorded by now are written. */
  readonly written: (world: World) => Promise<void>;
}

export function createJournalReader({ connection, keys, written }: JournalReaderOptions): JournalReader {
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
      if (requestIds.length === 0) return new Set();
      const places = await connection.idempotently((client) => client.hmget(`${keys.world(world)}:hopids`, ...requestIds));
      return new Set(requestIds.filter((_requestId, position) => places[position] !== null));
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
