import type { Agent } from 'undici';
import { type Application, applicationNames } from '../shared/catalog/applications.ts';
import { request } from '../shared/process/http-client.ts';
import type { ApplicationState, ReadinessAnswer } from '../shared/process/readiness.ts';
import { withTimeLimit } from '../shared/process/waiting.ts';

const LIMIT_MS = 1_000;
/** A busy machine can delay one answer, so an application that misses the limit is asked again. */
const ATTEMPTS = 2;
/** Wall time that an answer is cached for all callers. */
const FRESH_MS = 1_000;

interface ApplicationReadiness {
  readonly state: 'ready' | 'away';
  /** Why it is not ready: a clause whose subject is the application. */
  readonly waitingFor?: string;
}

export interface ReadinessOptions {
  /** @throws Error while the application has no address */
  readonly addressOf: (application: Application) => string;
  readonly agent: Agent;
  /** Wall time that an application has for one answer. */
  readonly limitMs?: number;
}

/** Requests the readiness of every application, on demand and at most once a second for all callers together. */
export function createReadiness({ addressOf, agent, limitMs = LIMIT_MS }: ReadinessOptions) {
  let asked: { readonly at: number; readonly states: Promise<ReadonlyMap<Application, ApplicationReadiness>> } | undefined;

  async function ask(application: Application, attempt = 1): Promise<ApplicationReadiness> {
    try {
      return await withTimeLimit(limitMs, async (signal) => {
        const response = await request(`${addressOf(application)}/readyz`, { dispatcher: agent, signal });
        const { status, waitingFor = [] } = (await response.body.json()) as ReadinessAnswer['body'];
        if (status === 'ready') return { state: 'ready' };
        return { state: 'away', waitingFor: status === 'draining' ? 'it is stopping' : `it waits for ${waitingFor.join(', ')}` };
      });
    } catch (error) {
      if (!isTimeout(error)) return { state: 'away', waitingFor: 'it cannot be reached' };
      return attempt < ATTEMPTS ? ask(application, attempt + 1) : { state: 'away', waitingFor: 'it did not answer in time' };
    }
  }

  const askAll = async () =>
    new Map(await Promise.all(applicationNames.map(async (application) => [application, await ask(application)] as const)));

  let latest: ReadonlyMap<Application, ApplicationReadiness> = new Map();
  function readiness(): Promise<ReadonlyMap<Application, ApplicationReadiness>> {
    const now = performance.now();
    if (!asked || now - asked.at >= FRESH_MS) {
      const states = askAll();
      asked = { at: now, states };
      states.then((found) => {
        latest = found;
      });
    }
    return asked.states;
  }

  return Object.assign(readiness, {
    /** As it was read last, without a wait. Empty before the first answers. */
    latest(): typeof latest {
      void readiness();
      return latest;
    },
  });
}

export type Readiness = ReturnType<typeof createReadiness>;

/** The applications as parts of the estate, for `/readyz`. */
export const statesOf = (applications: Awaited<ReturnType<Readiness>>): readonly ApplicationState[] =>
  [...applications].map(([name, { state, waitingFor }]) => ({ name, ready: state === 'ready', waitingFor }));

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';
