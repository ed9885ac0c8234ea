import { randomBytes } from 'node:crypto';
import { type Agent, request } from 'undici';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { callersOf } from '../../shared/catalog/flows.ts';
import { hasKey } from '../../shared/contract/openapi/application-contract.ts';
import { type Answer, type Input, NoAnswer, NotChecked } from '../../shared/contract/suites/bench.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { MOST_BYTES } from '../../shared/elsewhere/swap/outside-call.ts';
import { BodyTooLong, bytesWithin } from '../../shared/process/bounded-body.ts';
import { connectionTrouble } from '../../shared/process/connection-trouble.ts';
import { fillPath, PathRefused, queryString } from '../../shared/transport/path.ts';
import type { Entry } from '../../ui/report/recorded.ts';

export interface SystemOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly agent: Agent;
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

/** Calls a system as the estate does, in a new rehearsal, and records the calls. */
export function systemAt({ url, headers, timeoutMs, agent }: SystemOptions) {
  const rehearsal = `conform-${randomBytes(5).toString('hex')}`;
  const entries: Entry[] = [];

  async function call(api: ApiDefinition, { params = {}, query = {}, body }: Input, key: string): Promise<Answer> {
    const path = `${pathOf(api, params)}${queryString(query)}`;
    const since = Date.now();
    const started = performance.now();
    const record = (status: number): void => {
      const ms = Math.round(performance.now() - started);
      const step = { title: api.name, call: `${api.method} ${path}`, application: api.application, api: api.id, status, ms };
      entries.push({ since, until: Date.now(), step: { ...step, events: [], correlationId: rehearsal } });
    };
    const [caller] = callersOf(api.id);
    try {
      const response = await request(`${url}${path}`, {
        method: api.method,
        dispatcher: agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          ...headers,
          accept: 'application/json',
          'x-rehearsal': rehearsal,
          'x-rehearsal-now': new Date().toISOString(),
          'x-correlation-id': rehearsal,
          'x-estate-call': 'conform',
          ...(caller !== undefined && { 'x-calling-application': caller }),
          ...(hasKey(api) && { 'idempotency-key': key }),
          ...(api.method !== 'GET' && { 'content-type': 'application/json' }),
        },
        body: api.method === 'GET' ? null : JSON.stringify(body ?? {}),
      });
      const text = (await bytesWithin(response.body, MOST_BYTES)).toString();
      record(response.statusCode);
      return { status: response.statusCode, body: asJson(text) };
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      const reason = isLate ? undefined : (connectionTrouble(error)?.words ?? messageOf(error));
      if (!isLate && reason === undefined) throw error;
      record(0);
      throw new NoAnswer(isLate ? `No answer within ${timeoutMs} ms.` : `No answer: ${reason}.`);
    }
  }

  return {
    call,
    /** Removes the recorded calls. @returns them */
    takeEntries: (): Entry[] => entries.splice(0),
  };
}

/** The message of an error of the HTTP library, or of an answer that the estate would not read to its end. */
const messageOf = (error: unknown): string | undefined =>
  error instanceof BodyTooLong || (error instanceof Error && 'code' in error) ? inOneLine(error.message, 200) : undefined;

function asJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
