import type { CalledId, OperationInput, OperationOutput } from '../../rehearsal/call-types.ts';
import { queryString } from '../../shared/transport/path.ts';
import { operations } from './catalog.ts';
import { pathOf } from './path-of.ts';
import { Refusal, refusalOf, unreachable } from './refusal.ts';
import { isRehearsalName } from './route.ts';
import { route } from './router.ts';
import { bearer, signOut } from './session.ts';

export type OperationId = CalledId;
export type Output<Id extends OperationId> = OperationOutput<Id>;
export type Input<Id extends OperationId> = OperationInput<Id>;

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

type Asked<Id extends OperationId> =
  Record<never, never> extends Input<Id> ? [input?: Input<Id>, options?: ControlOptions] : [input: Input<Id>, options?: ControlOptions];

/**
 * An operation of the control plane: `await control('read-hop', { params: { requestId } })`. A refused credential ends the session.
 * @throws Refusal
 */
export const control = async <Id extends OperationId>(id: Id, ...asked: Asked<Id>): Promise<Output<Id>> =>
  (await tracedControl(id, ...asked)).body;

/** As `control`, with the correlation id of what the operation causes. @throws Refusal */
export async function tracedControl<Id extends OperationId>(
  id: Id,
  ...[input, options = {}]: Asked<Id>
): Promise<{ readonly body: Output<Id>; readonly correlationId: string | undefined }> {
  const operation = operations[id];
  if (!operation) throw new Refusal({ status: 404, code: 'not_found', title: 'Not found', detail: `This estate has no operation ${id}.` });
  const { params = {}, query = {}, body }: Sent = input ?? {};
  const sendsBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  const rehearsal = options.rehearsal ?? route.peek().rehearsal;
  const answer = await fetch(pathOf(operation, params) + queryString(filled(query)), {
    method: operation.method,
    headers: { ...authorization(rehearsal), ...(sendsBody && { 'Content-Type': 'application/json' }) },
    ...(sendsBody && { body: JSON.stringify(body ?? {}) }),
    signal: options.signal ?? null,
    cache: 'no-store',
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  const correlationId = answer.headers.get('X-Correlation-Id') ?? undefined;
  if (answer.ok) return { body: (answer.status === 204 ? null : await answer.json()) as Output<Id>, correlationId };
  const refusal = await refusalOf(answer);
  if (refusal.isOfCredential) signOut(refusal.detail);
  throw refusal;
}

/** The headers of every operation, also of the stream. */
export const authorization = (rehearsal: string | undefined): Record<string, string> => ({
  Authorization: `Bearer ${bearer.peek() ?? ''}`,
  ...(rehearsal !== undefined && isRehearsalName(rehearsal) && { 'X-Rehearsal': rehearsal }),
});

/** Leaves out empty parameters. */
const filled = (query: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
