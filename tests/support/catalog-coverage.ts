import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EstateClient } from '../../rehearsal/estate-client.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { events } from '../../shared/catalog/events.ts';
import { calls } from '../../shared/catalog/flows.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { objects } from '../../shared/catalog/objects.ts';

/**
 * Compares the behaviour seen in tests with the catalog. Each rehearsal of a test writes its trace when it is
 * disposed of. After a run of all tests the traces must include a success of every API and internal call, every call of one
 * application by another, every event, and every transition of every life cycle.
 */
const DIRECTORY = process.env['CATALOG_COVERAGE'];

/** Notes the trace of a rehearsal, when the whole suite runs. */
export async function noteTrace(client: EstateClient): Promise<void> {
  if (DIRECTORY === undefined) return;
  // Sequential, because concurrent requests open another connection.
  const { items: hops } = await client.control('read-journal', { query: { limit: 5_000, bodies: 'false' } });
  const { items: seen } = await client.control('list-events', { query: { ext: 'true', limit: 1_000 } });
  const trace = new Set([...hops.flatMap(traceOfHop(hops)), ...seen.flatMap(({ event }) => traceOfEvent(event))]);
  writeFileSync(join(DIRECTORY, `${randomBytes(8).toString('hex')}.json`), JSON.stringify([...trace]));
}

interface Hop {
  readonly requestId: string;
  readonly parentId?: string | undefined;
  readonly application: string;
  readonly api: string;
  readonly status: number;
}

function traceOfHop(hops: readonly Hop[]) {
  const byRequest = new Map(hops.map((hop) => [hop.requestId, hop]));
  return ({ api, status, parentId }: Hop): string[] => {
    if (status >= 400) return [];
    const caller = parentId === undefined ? undefined : byRequest.get(parentId)?.application;
    return [`api ${api}`, ...(caller === undefined ? [] : [`call ${caller} → ${api}`])];
  };
}

function traceOfEvent(event: Record<string, unknown>): string[] {
  const { type, subject, data } = event as {
    type: string;
    subject: string;
    data: { object: { state?: string }; previousState?: string };
  };
  const name = type.slice('com.unified-commerce.'.length);
  const [object = ''] = subject.split('/');
  if (data.object.state === undefined) return [`event ${name}`];
  return [`event ${name}`, arrow(object, data.previousState ?? null, data.object.state, name)];
}

const arrow = (object: string, from: string | null, to: string, event: string): string =>
  `arrow ${object}: ${from ?? '–'} → ${to} (${event})`;

/** A signed webhook passes through the gateway, so its sender is unknown. */
const isInside = (id: keyof typeof apis | keyof typeof internalCalls): boolean => ({ ...apis, ...internalCalls })[id].auth !== 'signature';

/** Everything that can happen according to the catalog. */
export function expectedTraces(): string[] {
  const arrows = objects.flatMap(({ type, lifeCycle }) =>
    (lifeCycle?.rows ?? [])
      .filter(({ again }) => !again)
      .flatMap((row) =>
        row.from.flatMap((from) =>
          (row.to.length > 0 ? row.to : [from ?? '']).flatMap((to) =>
            (row.events.length > 0 ? row.events : [`ext.${type}-changed`]).map((event) => arrow(type, from, to, event)),
          ),
        ),
      ),
  );
  return [
    ...new Set([
      ...[...Object.keys(apis), ...Object.keys(internalCalls)].map((id) => `api ${id}`),
      ...Object.entries(calls).flatMap(([application, ids]) => ids.filter(isInside).map((id) => `call ${application} → ${id}`)),
      ...events.map(({ name }) => `event ${name}`),
      ...arrows,
    ]),
  ];
}

/** @param directory folder of the traces. @returns the catalog entries that no test has covered */
export function missingTraces(directory: string): string[] {
  const seen = new Set(readdirSync(directory).flatMap((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as string[]));
  return expectedTraces().filter((trace) => !seen.has(trace));
}
