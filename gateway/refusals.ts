import type { Problem } from '../shared/catalog/problems.ts';
import { ANONYMOUS } from '../shared/control/context.ts';
import { type Hop, journalHop } from '../shared/control/journal.ts';
import { newId } from '../shared/domain/ids.ts';
import { endAnyhow } from '../shared/http/json-answer.ts';
import { ClientGone } from '../shared/http/request-body.ts';
import { type Observer, traceIds } from '../shared/observability/observer.ts';
import { withoutFailing } from '../shared/process/harmless.ts';
import type { Logger } from '../shared/process/logger.ts';
import type { JournalWriter } from '../shared/store/ports/journal.ts';
import { asProblem, jsonIn } from '../shared/transport/answer.ts';
import type { ProvedFacts } from './facts.ts';
import { inOAuthForm } from './oauth/refusal.ts';
import { ProblemWithHeaders, type Refusal, sendProblem } from './problems.ts';
import { identify, type RequestIds } from './request-ids.ts';

/** Log, metrics and journal for refusals. */
interface RefusalRecords {
  readonly log: Logger;
  readonly observer: Observer;
  readonly control: JournalWriter;
}

type AnsweredRefusal = Pick<Refusal, 'problem' | 'ids'>;

/** Answers with a problem, then counts, logs and journals it. Never throws. @returns the ids of the request; undefined when nothing was sent */
export function refuse(records: RefusalRecords, error: unknown, facts: ProvedFacts): RequestIds | undefined {
  const { response } = facts;
  if (error instanceof ClientGone || response.destroyed) return undefined;
  const refusal = answerRefusal(records.log, error, facts);
  if (refusal) withoutFailing(records.log, 'recording a refusal', () => record(records, refusal, facts));
  else endAnyhow(response);
  return refusal?.ids;
}

/** @returns undefined when the answer itself failed */
function answerRefusal(log: Logger, error: unknown, facts: ProvedFacts): AnsweredRefusal | undefined {
  try {
    const { request, response, path = '', target, traceparent } = facts;
    const ids = idsOf(facts);
    const found = asProblem(error, log, { ...ids, traceparent });
    const problem = target === 'token' || target === 'revocation' ? inOAuthForm(found) : found;
    sendProblem(request, response, { problem, ids, path });
    return { problem, ids };
  } catch {
    return undefined;
  }
}

/** The ids of a refusal. The application journals the request if it got it, so the refusal of the gateway is a separate hop. */
function idsOf({ request, ids, forwarded, view }: ProvedFacts): RequestIds {
  if (!ids) return identify(request.headers, newId('req', view?.now ?? Date.now()));
  return forwarded ? { ...ids, requestId: `${ids.requestId}.gateway` } : ids;
}

/** What the journal has of a call that a fault struck, as it has of a call that an application answered. */
function struckBy(problem: Problem, { body }: ProvedFacts): Pick<Hop, 'faults' | 'request' | 'requestText'> {
  if (!(problem instanceof ProblemWithHeaders) || problem.fault === undefined) return {};
  const requestText = body?.toString();
  const request = requestText === undefined ? undefined : jsonIn(requestText);
  return { faults: [problem.fault], request, requestText: request === undefined ? undefined : requestText };
}

function record({ log, observer, control }: RefusalRecords, { problem, ids }: AnsweredRefusal, facts: ProvedFacts): void {
  observer.refused(problem.code);
  const { request, started, path = '', api, isDryRun, caller, view, traceparent } = facts;
  const { code, status } = problem;
  const logged = { ...ids, world: view?.world, ...traceIds(traceparent), api: api?.id, code, status };
  if (status >= 500) log.warn(logged, 'refused');
  else log.debug(logged, 'refused');
  // Without a rehearsal there is no journal to write to. Applications journal their own answers.
  if (!api || !view || isDryRun) return;
  journalHop(
    { control, log },
    {
      ids,
      world: view.world,
      now: view.now,
      principal: caller?.principal ?? ANONYMOUS,
      application: 'gateway',
      api: api.id,
      method: request.method ?? '',
      path: request.url ?? '',
      status,
      started,
      ...struckBy(problem, facts),
      response: JSON.stringify(problem.body(path)),
    },
  );
}
