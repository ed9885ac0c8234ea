import type { z } from 'zod';
import type { listTraces } from '../../shared/catalog/control/operations/traces.ts';
import { type Breathe, eachBreathing, inOneSlice } from '../../shared/domain/breathe.ts';
import { searchForm } from '../../shared/domain/text.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import type { StoredTrace, TraceReader } from '../../shared/store/ports/journal.ts';
import type { EventReader } from '../../shared/store/ports/objects.ts';

/** Summaries per read of a filtered search, and most summaries that one request reads. */
const STEP = 200;
const MOST_WALKED = 1_000;
/** Maximum number of events of an object that are searched for correlation ids. */
const EVENTS_OF_OBJECT = 1_000;

interface FoundTraces {
  readonly traces: readonly StoredTrace[];
  readonly next?: number;
}

/**
 * Finds traces, newest first. A correlation id or an object leads to its traces directly; other filters scan the summaries in steps.
 * @param breathe lets other requests run while summaries are searched
 */
export async function findTraces(
  worlds: EventReader & TraceReader,
  world: World,
  query: TraceQuery,
  breathe: Breathe = inOneSlice,
): Promise<FoundTraces> {
  const { correlationId, object, before, limit } = query;
  const fits = summaryFilter(query);
  if (correlationId === undefined && object === undefined) return walk(worlds, world, { fits, before, limit }, breathe);
  const ofObject = object === undefined ? undefined : await correlationIdsAbout(worlds, world, object, breathe);
  const named = correlationId === undefined ? [...(ofObject ?? [])] : [correlationId].filter((id) => ofObject?.has(id) ?? true);
  const found = (await worlds.tracesOf(world, named))
    .filter((trace) => (before === undefined || trace.sequence < before) && (fits?.(trace) ?? true))
    .toSorted((a, b) => b.sequence - a.sequence);
  const traces = found.slice(0, limit);
  return { traces, next: found.length > limit ? traces.at(-1)?.sequence : undefined };
}

interface Walk extends Pick<TraceQuery, 'before' | 'limit'> {
  readonly fits: ((trace: StoredTrace) => boolean) | undefined;
}

async function walk(worlds: TraceReader, world: World, { fits, before, limit }: Walk, breathe: Breathe): Promise<FoundTraces> {
  if (!fits) return worlds.traces(world, { before, limit });
  const found: StoredTrace[] = [];
  let next = before;
  for (let walked = 0; walked < MOST_WALKED; walked += STEP) {
    const page = await worlds.traces(world, { before: next, limit: STEP });
    for (const [place, trace] of page.traces.entries()) {
      await breathe();
      if (fits(trace)) found.push(trace);
      const isLast = page.next === undefined && place === page.traces.length - 1;
      if (found.length >= limit) return { traces: found, next: isLast ? undefined : trace.sequence };
    }
    next = page.next;
    if (next === undefined) break;
  }
  return { traces: found, next };
}

async function correlationIdsAbout(worlds: EventReader, world: World, object: string, breathe: Breathe): Promise<ReadonlySet<string>> {
  const events = await worlds.newestEventsAbout(world, { by: 'subject', value: object }, EVENTS_OF_OBJECT);
  return new Set(await eachBreathing(events, breathe, ({ json }) => (JSON.parse(json) as EstateEvent).correlationid));
}

type TraceQuery = z.output<typeof listTraces.query>;

/** The outcome of a hop by its status. Status 0 means that no answer was sent. */
function outcomeOf(status: number): TraceQuery['status'] {
  if (status === 0 || status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}

/** Applies the filters that need only the summary of a trace. @returns undefined when there are none */
function summaryFilter({ q, application, api, status, fault }: TraceQuery): ((trace: StoredTrace) => boolean) | undefined {
  const text = q && searchForm(q);
  const criteria = [
    text !== undefined && ((trace: StoredTrace) => textsOf(trace).some((one) => searchForm(one).includes(text))),
    application !== undefined && ((trace: StoredTrace) => trace.applications.includes(application)),
    api !== undefined && ((trace: StoredTrace) => trace.apis.includes(api)),
    status !== undefined && ((trace: StoredTrace) => outcomeOf(trace.status) === status),
    fault !== undefined && ((trace: StoredTrace) => trace.faults.includes(fault)),
  ].filter((criterion) => criterion !== false);
  return criteria.length === 0 ? undefined : (trace) => criteria.every((fits) => fits(trace));
}

const textsOf = ({ correlationId, path, status, apis, applications, faults }: StoredTrace): readonly string[] => [
  correlationId,
  path,
  String(status),
  ...apis,
  ...applications,
  ...faults,
];
