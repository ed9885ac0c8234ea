import type { World } from '../../domain/world.ts';
import { journalParts, newestPage, oldestPage } from '../journal-limits.ts';
import type { JournalReader, RecordedHop } from '../ports/journal.ts';
import { type FoundTrace, joined, type TraceSummary, tracePage } from '../trace-summary.ts';
import { type RedisAccess, runInWorld } from './connection.ts';

/** More than a journal can hold. */
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
      const [now, truncated, oldest, newest, hops, anonymous] = (await run('readJournal', world, ...ask)) as JournalReply;
      const found = { hops: hops.map(readHop(now)), anonymous: anonymous.map(readHop(now)).map(asAnonymous) };
      const entries =
        after === undefined
          ? newestPage({ hops: found.hops.reverse(), anonymous: found.anonymous.reverse() }, limit)
          : oldestPage(found, limit);
      return {
        entries: bodies ? entries : entries.map(withoutBodies),
        truncated: truncated === '1',
        oldest: Number(oldest),
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
      const [hops, traces] = (await run('journalSize', world)) as [number, number];
      return { hops, traces };
    },
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
type JournalReply = [now: string, truncated: string, oldest: string, newest: string, hops: Hop[], anonymous: Hop[]];

const readHop =
  (now: string) =>
  ([id, fields]: Hop): RecordedHop => {
    const [, requestId = '', , correlationId = '', , , , at, name, json = '', , bodies] = fields;
    const parts = name === 'j' ? splitRecord(json) : { head: json, ...(bodies !== undefined && { bodies }) };
    return { sequence: Number.parseInt(id, 10), requestId, correlationId, ...parts, ageMs: Number(now) - Number(at) };
  };

/** A record of an older release has its bodies among its other members. */
function splitRecord(json: string): Pick<RecordedHop, 'head' | 'bodies'> {
  const { request, response, ...head } = JSON.parse(json) as Record<string, unknown>;
  const hasBodies = request !== undefined || response !== undefined;
  return { head: JSON.stringify(head), ...(hasBodies && { bodies: JSON.stringify({ request, response }) }) };
}

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
