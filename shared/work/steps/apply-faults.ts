import { OUTSIDE } from '../../catalog/control/faults.ts';
import { Problem, type ProblemCode, problems } from '../../catalog/problems.ts';
import { OUTSIDE_WORLD, SIGNER } from '../../control/context.ts';
import { type ActiveFault, type FaultTarget, waitAtBarrier } from '../../control/faults.ts';
import { pause } from '../../process/waiting.ts';
import { type Answer, answerProblem, hasBody } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, ApiRequest } from '../job.ts';
import { noteBody } from './read-input.ts';
import type { Step } from './step.ts';

/** Applies the faults that strike a request, oldest first: before anything is done, or to its answer. */
export const applyFaults =
  (parts: ApplicationParts): Step<ApiRequest, ApiRequest, Answered> =>
  async (job, rest) => {
    // Most rehearsals have no faults, and then nothing is awaited.
    if (job.context.faults === 0) return rest(job);
    const struck = await faultsOf(parts, job);
    job.notes.faults.push(...struck.map(({ name }) => name));
    try {
      for (const fault of struck) await strike(parts, job, fault);
    } catch (error) {
      // The journal keeps the body, so that it can be sent again. An unparsable body does not change the answer of the fault.
      await noteBody(job).catch(() => {});
      if (error instanceof Dropped) return undefined;
      throw error;
    }
    const lost = struck.find(({ fault }) => fault.kind === 'lost-response');
    if (!lost) return rest(job);
    const answer = await rest(job).catch((error: unknown) => refusalIn(error, job));
    return loseAnswer(lost, answer, { application: parts.application, job });
  };

/** A refusal is an answer, so it is lost, too. */
function refusalIn(error: unknown, { path }: ApiRequest): Answer {
  if (error instanceof Problem) return answerProblem(error, path);
  throw error;
}

async function faultsOf(parts: ApplicationParts, job: ApiRequest): Promise<readonly ActiveFault[]> {
  const { world, faults: revision, requestId } = job.context;
  const target = targetOf(parts, job);
  return target ? parts.faults.strikeAll({ world, revision }, target, { requestId }) : [];
}

/** A call as a target of faults. Undefined for calls that the control plane makes itself, which are exempt. */
export function targetOf({ application }: ApplicationParts, { context, bound }: ApiRequest): FaultTarget | undefined {
  const { principal, chain } = context;
  if (principal === OUTSIDE_WORLD && chain.length === 0) return undefined;
  return { application, api: bound.id, caller: chain.at(-1) ?? (principal === SIGNER ? undefined : OUTSIDE) };
}

async function strike(parts: ApplicationParts, job: ApiRequest, { name, fault }: ActiveFault): Promise<void> {
  const { application, stopping } = parts;
  switch (fault.kind) {
    case 'drop':
      throw new Dropped();
    case 'latency':
      return pause(fault.ms, stopping);
    case 'outage':
      throw new Problem('dependency_unavailable', `${application} cannot be reached (fault ${name}).`, {
        dependency: application,
        retryAfter: 1,
      });
    case 'status':
      throw new InjectedStatus(fault, { name, isInside: job.context.chain.length > 0 });
    case 'barrier': {
      const { world } = job.context;
      const { parties } = fault;
      if (await waitAtBarrier(parts, { world, name, parties })) return;
      throw new Problem('dependency_timeout', `The barrier ${name} timed out: fewer than ${parties} requests arrived.`, {
        dependency: application,
      });
    }
  }
}

/** The connection must break without an answer. */
class Dropped extends Error {}

/** The request was answered, and the answer is lost. */
function loseAnswer(
  { name, fault }: ActiveFault,
  answer: Answered,
  { application, job: { path, context } }: { readonly application: string; readonly job: ApiRequest },
): Answered {
  if (fault.kind === 'lost-response' && fault.as === 'reset') return undefined;
  // The connection to a client ends at the gateway, which breaks it. An answer without a body has no half.
  if (fault.kind === 'lost-response' && fault.as === 'half')
    return answer && context.chain.length === 0 && hasBody(answer) ? { ...answer, isBrokenOff: true } : undefined;
  const problem = new Problem('dependency_timeout', `${application} answered, and the answer was lost (fault ${name}).`, {
    dependency: application,
  });
  return answerProblem(problem, path);
}

/**
 * A problem with any status, including those that no problem code has. Between applications, a status without a code is answered without
 * one: no application has made a decision, and the caller must not assume one.
 */
class InjectedStatus extends Problem {
  readonly #status: number;
  readonly #hasCode: boolean;
  constructor({ status, code }: StatusFault, { name, isInside }: { readonly name: string; readonly isInside: boolean }) {
    const known = code !== undefined && Object.hasOwn(problems, code) ? (code as ProblemCode) : undefined;
    super(known ?? nearestCode(status), `Injected by the fault ${name}.`, { fault: name });
    this.#status = status;
    this.#hasCode = known !== undefined || !isInside;
  }
  override get status(): number {
    return this.#status;
  }
  override body(instance: string): Record<string, unknown> {
    const { code, ...withoutCode } = super.body(instance);
    return this.#hasCode ? { ...withoutCode, code } : { ...withoutCode, type: 'about:blank' };
  }
}

type StatusFault = Extract<ActiveFault['fault'], { kind: 'status' }>;

function nearestCode(status: number): ProblemCode {
  const codes = Object.keys(problems) as ProblemCode[];
  return codes.find((code) => problems[code].status === status) ?? (status >= 500 ? 'internal_error' : 'malformed_request');
}
