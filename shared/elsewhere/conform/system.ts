import { randomBytes } from 'node:crypto';
import type { ApiDefinition } from '../../catalog/define.ts';
import { callersOf } from '../../catalog/flows.ts';
import { hasKey } from '../../contract/openapi/application-contract.ts';
import { type Answer, type Input, NoAnswer, NotChecked } from '../../contract/suites/bench.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { Agent } from '../../process/http-client.ts';
import { fillPath, PathRefused, queryString } from '../../transport/path.ts';
import { createCallOutside, NoReply } from '../swap/outside-call.ts';
import type { SeededSwap } from '../swap/stored-swap.ts';

export interface SystemOptions {
  /** Its address and headers, as in a swap. */
  readonly system: Pick<SeededSwap, 'url' | 'headers' | 'timeoutMs' | 'isDefault'>;
  readonly callOutside: ReturnType<typeof createCallOutside>;
}

/** A system at any address: OUTBOUND_ALLOW does not apply to the command of a person. */
export function systemOf(agent: Agent, system: Omit<SystemOptions['system'], 'isDefault'>): SystemOptions {
  const anywhere = { agentFor: async (text: string) => ({ url: new URL(text), agent }) };
  return { system: { ...system, isDefault: false }, callOutside: createCallOutside({ checked: anywhere, trusted: anywhere }) };
}

/** A call of the system, in wall time. */
export interface MadeCall {
  readonly api: ApiDefinition;
  /** Method and path. */
  readonly call: string;
  /** 0: no answer. */
  readonly status: number;
  readonly since: Ms;
  readonly until: Ms;
  readonly ms: number;
  readonly correlationId: string;
}

/** The path of a call. Its values may come from a mapping or from an answer of the system. @throws NotChecked for a value that no path can have */
function pathOf({ id, path }: ApiDefinition, params: Readonly<Record<string, string>>): string {
  try {
    return fillPath(path, params);
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    throw new NotChecked(error.message, id);
  }
}

/** No rehearsal has this name. */
const newName = (): string => `conform-${randomBytes(5).toString('hex')}`;

/** Calls a system as the estate does, in a new rehearsal, and records the calls. */
export function systemAt({ system, callOutside }: SystemOptions) {
  const rehearsal = newName();
  const calls: MadeCall[] = [];

  async function call(api: ApiDefinition, { params = {}, query = {}, body }: Input, key: string): Promise<Answer> {
    const { method } = api;
    const path = `${pathOf(api, params)}${queryString(query)}`;
    const since = Date.now();
    const started = performance.now();
    const record = (status: number): void => {
      const ms = Math.round(performance.now() - started);
      calls.push({ api, call: `${method} ${path}`, status, since, until: Date.now(), ms, correlationId: rehearsal });
    };
    const [caller] = callersOf(api.id);
    const headers = {
      accept: 'application/json',
      'x-rehearsal': rehearsal,
      'x-rehearsal-now': new Date().toISOString(),
      'x-correlation-id': rehearsal,
      'x-estate-call': 'conform',
      ...(caller !== undefined && { 'x-calling-application': caller }),
      ...(hasKey(api) && { 'idempotency-key': key }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    };
    const sent = { method, path, headers, body: method === 'GET' ? undefined : JSON.stringify(body ?? {}), withinMs: system.timeoutMs };
    try {
      const reply = await callOutside(rehearsal as World, swapAt(system), sent);
      record(reply.status);
      return { status: reply.status, body: asJson(reply.body.toString()) };
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      record(0);
      throw noAnswer(error, system);
    }
  }

  return {
    call,
    /** Removes the recorded calls. @returns them */
    takeCalls: (): MadeCall[] => calls.splice(0),
  };
}

const swapAt = (system: SystemOptions['system']): SeededSwap => ({
  ...{ mode: 'real', keep: false, events: 'none', shadow: 'all', compare: [] },
  ...system,
});

const noAnswer = ({ why, message }: NoReply, { timeoutMs }: SystemOptions['system']): NoAnswer =>
  new NoAnswer(why === 'late' ? `No answer within ${timeoutMs} ms.` : `No answer: ${message}.`);

/** Wall time that a system has for its first answer. */
const FIRST_ANSWER_MS: Ms = 10_000;

/** @throws NoAnswer unless a server answers at the address of the system, whatever its answer */
export async function requireAnswer({ system, callOutside }: SystemOptions): Promise<void> {
  const patient = { ...system, timeoutMs: FIRST_ANSWER_MS };
  try {
    await callOutside(newName() as World, swapAt(patient), { method: 'GET', path: '', headers: {}, withinMs: FIRST_ANSWER_MS });
  } catch (error) {
    if (!(error instanceof NoReply)) throw error;
    if (error.why !== 'too_large') throw noAnswer(error, patient);
  }
}

function asJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
