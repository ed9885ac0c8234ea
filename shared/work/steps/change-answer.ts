import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ChangeName } from '../../catalog/control/drift.ts';
import { changedAnswer, drawFrom } from '../../contract/drift/drift.ts';
import type { ActiveChange } from '../../control/faults.ts';
import type { Answer } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, ApiRequest } from '../job.ts';
import { targetOf } from './apply-faults.ts';
import type { Step } from './step.ts';

/**
 * Changes the answer for a client, as faults demand. The change comes last, so that the stored answer of a repeat, and everything within
 * the estate, has the original. The journal has what the client got.
 */
export const changeAnswer =
  (parts: ApplicationParts): Step<ApiRequest, ApiRequest, Answered> =>
  async (job, rest) => {
    const { world, faults: revision, requestId } = job.context;
    const target = revision === 0 ? undefined : targetOf(parts, job);
    const changes = target ? await parts.faults.changesOf({ world, revision }, target) : [];
    let answer = await rest(job);
    for (const rule of changes) {
      const changed = answer && (await changedBy(rule, answer, { job, rest }));
      if (!changed || !(await parts.faults.count(world, rule, { requestId }))) continue;
      job.notes.faults.push(rule.name);
      answer = changed;
    }
    return answer;
  };

interface Call {
  readonly job: ApiRequest;
  readonly rest: (job: ApiRequest) => Promise<Answered>;
}

/** @returns undefined when the change does not apply to the answer */
async function changedBy({ name: fault, fault: { change }, seed = fault }: ActiveChange, answer: Answer, call: Call): Promise<Answered> {
  const { headers } = call.job.received;
  const json = jsonOf(answer);
  switch (change) {
    case 'retry-after-date':
      return answer.retryAfter === undefined ? undefined : { ...answer, retryAfterDate: dateIn(answer.retryAfter) };
    case 'chunked-body':
      return answer.status === 204 ? undefined : { ...answer, isChunked: true };
    case 'compressed-body':
      return json !== undefined && acceptsGzip(headers['accept-encoding']) ? { ...answer, gzipped: await zipped(json) } : undefined;
    case 'html-body':
      return json === undefined ? undefined : { ...answer, status: 200, body: PAGE, contentType: 'text/html; charset=utf-8', isText: true };
    case 'smallest-page':
      return isSuccess(answer) && itemsIn(json) > 1 ? smallestPage(call) : undefined;
    default: {
      if (json === undefined || !isSuccess(answer)) return undefined;
      const { api } = call.job.bound;
      // Ids differ between rehearsals, so the repeated story of a rehearsal would draw another change from them.
      const body = changedAnswer(api, json, change satisfies ChangeName, drawFrom(`${seed}/${api.id}`));
      return body === undefined ? undefined : { ...answer, body, ...(change === 'broken-json' && { isText: true }) };
    }
  }
}

const isSuccess = ({ status }: Answer): boolean => status < 300;

const jsonOf = ({ status, body, contentType }: Answer): string | undefined =>
  status !== 204 && typeof body === 'string' && /^application\/(?:problem\+)?json/.test(contentType) ? body : undefined;

/** The page with the limit 1. A list may be read again, because a query changes nothing. */
async function smallestPage({ job, rest }: Call): Promise<Answered> {
  const page = await rest({ ...job, received: { ...job.received, query: { ...(job.received.query as object), limit: '1' } } });
  return page && isSuccess(page) && itemsIn(jsonOf(page)) < 2 ? page : undefined;
}

function itemsIn(json = 'null'): number {
  const { items } = (JSON.parse(json) ?? {}) as { readonly items?: unknown };
  return Array.isArray(items) ? items.length : 0;
}

const zipped: (text: string) => Promise<Buffer> = promisify(gzip);

/** Whether a header `Accept-Encoding` has gzip with a weight above 0 (RFC 9110 §12.5.3). */
const acceptsGzip = (accepted: unknown): boolean =>
  String(accepted ?? '')
    .split(',')
    .some((one) => /^\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)\S+\s*)?$/i.test(one));

/** Rounded up to whole seconds: a client must not come too early. */
const dateIn = (seconds: number): string => new Date((Math.ceil(Date.now() / 1_000) + seconds) * 1_000).toUTCString();

const PAGE =
  '<!doctype html>\n<html lang="en"><head><title>Just a moment</title></head><body><h1>Just a moment</h1><p>We are checking your connection.</p></body></html>\n';
