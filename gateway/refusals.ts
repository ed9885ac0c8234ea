import type { IncomingMessage, ServerResponse } from 'node:http';
import { journalHop } from '../shared/control/journal.ts';
import { endAnyhow } from '../shared/http/last-resort.ts';
import { ClientGone } from '../shared/http/request-body.ts';
import { type Observer, traceIds } from '../shared/observability/observer.ts';
import { withoutFailing } from '../shared/process/harmless.ts';
import type { Logger } from '../shared/process/logger.ts';
import type { JournalWriter } from '../shared/store/ports/journal.ts';
import { asProblem } from '../shared/transport/answer.ts';
import type { Passage } from './passage.ts';
import { type Refusal, sendProblem } from './problems.ts';
import { identify, type RequestIds } from './request-ids.ts';

/** Log, metrics and journal for refusals. */
export interface RefusalRecords {
  readonly log: Logger;
  readonly observer: Observer;
  readonly control: JournalWriter;
}

interface RefusedRequest {
  readonly passage: Passage;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type AnsweredRefusal = Pick<Refusal, 'problem' | 'ids'>;

/** Answers a request with a problem, then counts, logs and journals the refusal. Never throws. */
export function refuse(records: RefusalRecords, error: unknown, refused: RefusedRequest): void {
  const { response } = refused;
  if (error instanceof ClientGone || response.destroyed) return;
  const refusal = answerRefusal(records.log, error, refused);
  if (refusal) withoutFailing(records.log, 'recording a refusal', () => record(records, refusal, refused));
  else endAnyhow(response);
}

/** @returns undefined when the answer itself failed */
function answerRefusal(log: Logger, error: unknown, { passage, request, response }: RefusedRequest): AnsweredRefusal | undefined {
  try {
    const ids = idsOf(passage, request);
    passage.ids = ids;
    const problem = asProblem(error, log, { ...ids, traceparent: passage.traceparent });
    sendProblem(request, response, { problem, ids, path: passage.path });
    return { problem, ids };
  } catch {
    return undefined;
  }
}

/** The application journals a request that it got, so the refusal of the gateway is a hop of its own. */
function idsOf({ ids, isForwarded, view }: Passage, { headers }: IncomingMessage): RequestIds {
  if (!ids) return identify(headers, view?.now ?? Date.now());
  return isForwarded ? { ...ids, requestId: `${ids.requestId}.gateway` } : ids;
}

function record({ log, observer, control }: RefusalRecords, { problem, ids }: AnsweredRefusal, { passage, request }: RefusedRequest): void {
  observer.refused(problem.code);
  const { api, view, traceparent } = passage;
  const { code, status } = problem;
  const facts = { ...ids, world: view?.world, ...traceIds(traceparent), api: api?.id, code, status };
  if (status >= 500) log.warn(facts, 'refused');
  else log.debug(facts, 'refused');
  // Without a rehearsal there is no journal to write to. Applications journal their own answers.
  if (!api || !view) return;
  journalHop(
    { control, log },
    {
      ids,
      world: view.world,
      now: view.now,
      principal: passage.principal,
      application: 'gateway',
      api: api.id,
      method: request.method ?? '',
      path: request.url ?? '',
      status,
      started: passage.started,
      response: JSON.stringify(problem.body(passage.path)),
    },
  );
}
