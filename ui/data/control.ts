import type { ControlCall, ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { readEvent } from '../../shared/catalog/control/operations/events.ts';
import type { readHop, readJournal } from '../../shared/catalog/control/operations/journal.ts';
import type { listLifeCycles, listObjects, listObjectTypes, listStock } from '../../shared/catalog/control/operations/objects.ts';
import type { readRehearsal } from '../../shared/catalog/control/operations/rehearsals.ts';
import type { deleteRun, listRuns, listScenarios, readRun, startRun } from '../../shared/catalog/control/operations/runs.ts';
import type { readTopology } from '../../shared/catalog/control/operations/topology.ts';
import type { listTraces } from '../../shared/catalog/control/operations/traces.ts';
import type { controlOperations } from '../../shared/catalog/control/operations.ts';
import { operations } from './catalog.ts';
import { Refusal, refusalOf, unreachable } from './refusal.ts';
import { isRehearsalName } from './route.ts';
import { route } from './router.ts';
import { bearer, signOut } from './session.ts';

type Operations = Omit<typeof controlOperations, 'read-journal'> & {
  'read-journal': typeof readJournal;
  'read-hop': typeof readHop;
  'list-traces': typeof listTraces;
  'read-topology': typeof readTopology;
  'read-rehearsal': typeof readRehearsal;
  'read-event': typeof readEvent;
  'list-object-types': typeof listObjectTypes;
  'list-objects': typeof listObjects;
  'list-life-cycles': typeof listLifeCycles;
  'list-stock': typeof listStock;
  'list-scenarios': typeof listScenarios;
  'start-run': typeof startRun;
  'list-runs': typeof listRuns;
  'read-run': typeof readRun;
  'delete-run': typeof deleteRun;
};
export type OperationId = keyof Operations;
export type Output<Id extends OperationId> = ControlOutput<Operations[Id]>;
export type Input<Id extends OperationId> = ControlCall<Operations[Id]>;

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface ControlOptions {
  /** Default: the rehearsal in the address. */
  readonly rehearsal?: string;
  readonly signal?: AbortSignal;
}

/**
 * An operation of the control plane: `await control('read-hop', { params: { requestId } })`. A refused credential ends the session.
 * @throws Refusal
 */
export async function control<Id extends OperationId>(
  id: Id,
  ...[input, options = {}]: Record<never, never> extends Input<Id>
    ? [input?: Input<Id>, options?: ControlOptions]
    : [input: Input<Id>, options?: ControlOptions]
): Promise<Output<Id>> {
  const operation = operations[id];
  if (!operation) throw new Refusal({ status: 404, code: 'not_found', title: 'Not found', detail: `This estate has no operation ${id}.` });
  const { params = {}, query = {}, body }: Sent = input ?? {};
  const sendsBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  const rehearsal = options.rehearsal ?? route.peek().rehearsal;
  const answer = await fetch(operationAddress(operation.path, params, query), {
    method: operation.method,
    headers: { ...authorization(rehearsal), ...(sendsBody && { 'Content-Type': 'application/json' }) },
    ...(sendsBody && { body: JSON.stringify(body ?? {}) }),
    signal: options.signal ?? null,
    cache: 'no-store',
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  if (answer.ok) return (answer.status === 204 ? null : await answer.json()) as Output<Id>;
  const refusal = await refusalOf(answer);
  if (refusal.isOfCredential) signOut(refusal.detail);
  throw refusal;
}

/** The headers of every operation, also of the stream. */
export const authorization = (rehearsal: string | undefined): Record<string, string> => ({
  Authorization: `Bearer ${bearer.peek() ?? ''}`,
  ...(rehearsal !== undefined && isRehearsalName(rehearsal) && { 'X-Rehearsal': rehearsal }),
});

function operationAddress(path: string, params: Readonly<Record<string, string>>, query: Readonly<Record<string, unknown>>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]));
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`;
}
