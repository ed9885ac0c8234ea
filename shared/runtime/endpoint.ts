import { parse as parseQuery } from 'node:querystring';
import { Problem } from '../catalog/problems.ts';
import type { Context } from '../control/context.ts';
import { comparisonWith } from '../control/credentials.ts';
import { DUE } from '../control/journal.ts';
import { readJson } from '../http/json-body.ts';
import type { Logger } from '../process/logger.ts';
import { within } from '../process/waiting.ts';
import { type Answer, answerProblem, asProblem } from '../transport/answer.ts';
import { CONTEXT_HEADER, decodeContext, TOKEN_HEADER } from '../transport/estate-headers.ts';
import { type ArrivingCall, type Endpoint, NotListening } from '../transport/in-process-transport.ts';
import { pathPattern } from '../transport/path.ts';
import { DUE_PATH } from '../transport/transport.ts';
import type { AnyService } from '../work/handler.ts';
import { newJournalNotes } from '../work/job.ts';
import type { Pipeline } from '../work/pipeline.ts';

export interface EndpointOptions {
  readonly service: AnyService;
  readonly pipeline: Pipeline;
  /** Authenticates calls within the estate. */
  readonly token: string;
  readonly log: Logger;
}

/** Calls that still run after this time are not waited for. */
const CLOSE_WITHIN_MS = 10_000;

/** The face of an application towards others in its process. It answers what its HTTP face would answer. */
export function createEndpoint({ service, pipeline, token, log }: EndpointOptions) {
  const routes = [...Object.values(service.apis), ...Object.values(service.internal)].map((bound) => ({
    bound,
    pattern: pathPattern(bound.api.path),
  }));
  const isToken = comparisonWith(token);
  /** By the function that breaks a call off. */
  const running = new Map<() => void, Promise<unknown>>();
  let listening = false;

  async function answer(call: ArrivingCall, hasLeft: () => boolean): Promise<Answer | undefined> {
    const context = decodeContext(call.headers[CONTEXT_HEADER] ?? '');
    const [path = '', query = ''] = call.path.split('?', 2);
    try {
      if (!isToken(call.headers[TOKEN_HEADER] ?? '') || !context) {
        throw new Problem('forbidden', 'This application is reached through the gateway only.');
      }
      return await (path === DUE_PATH ? answerDue(call, context) : answerApi(call, { context, path, query, hasLeft }));
    } catch (error) {
      return answerProblem(asProblem(error, log, context ?? {}), path);
    }
  }

  async function answerApi(
    { method, path: target, headers, body }: ArrivingCall,
    { context, path, query, hasLeft }: { context: Context; path: string; query: string; hasLeft: () => boolean },
  ): Promise<Answer | undefined> {
    const started = performance.now();
    for (const { bound, pattern } of routes) {
      const found = bound.api.method === method ? pattern.exec(path) : null;
      if (!found) continue;
      const params = Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]));
      return pipeline.request({
        bound,
        context,
        path,
        received: { headers, params, query: { ...parseQuery(query) }, body },
        hasLeft,
        notes: newJournalNotes(context),
        hop: { api: bound.id, method, path: target, started, answersData: true },
      });
    }
    throw new Problem('not_found', `${service.application} has nothing at ${method} ${path}.`);
  }

  async function answerDue({ headers, path, body }: ArrivingCall, context: Context): Promise<Answer | undefined> {
    const started = performance.now();
    const sent = await readJson(headers, body);
    const { kind, key, token: lease } = (sent?.value ?? {}) as { kind: string; key: string; token: string };
    return pipeline.due({
      item: { kind, key },
      token: lease,
      context,
      path,
      notes: newJournalNotes(context),
      hop: { api: `due:${kind}`, method: DUE, path: key, started, answersData: false },
    });
  }

  const take: Endpoint = (call) =>
    new Promise((resolve, reject) => {
      if (!listening) throw new NotListening(`${service.application} does not listen.`);
      let isBroken = false;
      const breakOff = (): void => {
        isBroken = true;
        resolve(undefined);
      };
      const answering = answer(call, () => isBroken || call.hasLeft()).finally(() => running.delete(breakOff));
      running.set(breakOff, answering);
      answering.then(resolve, reject);
    });

  return {
    take,
    listen(): void {
      listening = true;
    },
    /** Refuses calls from now on, and waits for those that run. */
    async close(): Promise<void> {
      listening = false;
      await within(CLOSE_WITHIN_MS, Promise.allSettled(running.values()));
    },
    /** Breaks every call off, as the death of a process does. */
    kill(): void {
      listening = false;
      for (const breakOff of running.keys()) breakOff();
    },
  };
}
