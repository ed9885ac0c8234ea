import { type CallOptions, filledPath } from '../rehearsal/estate-client.ts';
import type { Reply } from '../rehearsal/reply.ts';
import { apis } from '../shared/catalog/apis.ts';
import type { ControlOperation } from '../shared/catalog/control/define-operation.ts';
import { clockOperations } from '../shared/catalog/control/operations/clock.ts';
import { disputeOperations } from '../shared/catalog/control/operations/disputes.ts';
import { eventsOperations } from '../shared/catalog/control/operations/events.ts';
import { explanationsOperations } from '../shared/catalog/control/operations/explanations.ts';
import { faultsOperations } from '../shared/catalog/control/operations/faults.ts';
import { journalOperations } from '../shared/catalog/control/operations/journal.ts';
import { objectsOperations } from '../shared/catalog/control/operations/objects.ts';
import { outsideWorldOperations } from '../shared/catalog/control/operations/outside-world.ts';
import { progressionOperations } from '../shared/catalog/control/operations/progression.ts';
import { sequencesOperations } from '../shared/catalog/control/operations/sequences.ts';
import { tracesOperations } from '../shared/catalog/control/operations/traces.ts';
import { verificationOperations } from '../shared/catalog/control/operations/verification.ts';
import { type ApiDefinition, namesRehearsal } from '../shared/catalog/define.ts';
import { unknownWord } from '../shared/domain/nearest-word.ts';
import { fitsTemplate } from '../shared/transport/path.ts';
import { AgentMistake, type AgentWorld } from './worlds.ts';

/** Public APIs. The carrier's signed webhook is left out: `play-scan` plays it. */
export const callableApis: readonly ApiDefinition[] = Object.values(apis).filter(({ auth }) => auth !== 'signature');

/**
 * Operations of the control plane that stay within a rehearsal. The others reach every rehearsal, answer with secrets, or send webhooks to
 * addresses outside; a reset ends the world of the handle.
 */
export const callableOperations: readonly ControlOperation[] = [
  ...clockOperations,
  ...eventsOperations,
  ...objectsOperations,
  ...explanationsOperations,
  ...progressionOperations,
  ...outsideWorldOperations,
  ...disputeOperations,
  ...faultsOperations,
  ...journalOperations,
  ...sequencesOperations,
  ...tracesOperations,
  ...verificationOperations,
];

/** Headers that an agent may send. Others choose credential and rehearsal. */
export const CALL_HEADERS = ['idempotency-key', 'if-match', 'x-correlation-id'] as const;

interface AgentCall {
  readonly id: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Partial<Record<(typeof CALL_HEADERS)[number], string>>> | undefined;
  readonly body?: unknown;
  readonly dryRun?: boolean | undefined;
}

interface Callable {
  readonly method: string;
  readonly path: string;
  readonly as: NonNullable<CallOptions['as']>;
}

export const isRead = (id: string): boolean => callableOf(id).method === 'GET';

/** Sends the call to the estate, which validates it against the catalog. @throws AgentMistake, PathRefused for a call that cannot be sent */
export function send({ name, client }: AgentWorld, { id, params = {}, query, headers = {}, body, dryRun }: AgentCall): Promise<Reply> {
  const { method, path, as } = callableOf(id);
  refuseOtherText(headers);
  const given = namesRehearsal({ path }) ? { ...params, rehearsal: name } : params;
  refuseOtherParameters(id, path, given);
  const sent = method === 'GET' || method === 'DELETE' ? undefined : (body ?? {});
  const target = filledPath(path, { params: given, query: { ...query, dryRun: dryRun || undefined } });
  // The credential of the control plane reaches every rehearsal, so the estate must read the path as this call.
  if (!fitsTemplate(new URL(target, 'http://path.invalid').pathname, path)) throw new AgentMistake(`${id} is at ${path}. Correct params.`);
  return client.call(method as 'GET', target, sent, { headers: { ...headers }, as });
}

/** @throws AgentMistake for an unknown id, with the nearest one */
function callableOf(id: string): Callable {
  const api = callableApis.find((one) => one.id === id);
  if (api) return { ...api, as: api.auth === 'signature' ? 'none' : api.auth };
  const operation = callableOperations.find((one) => one.id === id);
  if (operation) return { ...operation, as: 'admin' };
  const known = [...callableApis, ...callableOperations].map((one) => one.id);
  throw new AgentMistake(unknownWord('call', id, known, 'the resources estate://apis and estate://operations'));
}

/** What a header can carry. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;

function refuseOtherText(headers: NonNullable<AgentCall['headers']>): void {
  const [wrong] = Object.entries(headers).find(([, text]) => !HEADER_TEXT.test(text)) ?? [];
  if (wrong !== undefined)
    throw new AgentMistake(`headers.${wrong} must be visible ASCII: letters, digits and punctuation, without line breaks.`);
}

function refuseOtherParameters(id: string, path: string, given: Readonly<Record<string, string>>): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const missing = names.filter((name) => (given[name] ?? '') === '').map((name) => `params.${name} is missing`);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  const mistakes = [...missing, ...unknown.map((name) => `params.${name} is unknown`)];
  if (mistakes.length > 0) throw new AgentMistake(`${id} is at ${path}: ${mistakes.join(', ')}.`);
}
