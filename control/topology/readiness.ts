import { type Agent, request } from 'undici';
import { type Application, applicationNames } from '../../shared/catalog/applications.ts';
import type { ReadinessAnswer } from '../../shared/process/readiness.ts';
import { withTimeLimit } from '../../shared/process/waiting.ts';

/** Wall time that an application has for its answer. */
const LIMIT_MS = 1_000;
/** Wall time that an answer is cached for all callers. */
const FRESH_MS = 1_000;

interface ApplicationReadiness {
  readonly state: 'ready' | 'away';
  readonly waitingFor?: string;
}

export interface ReadinessOptions {
  /** @throws Error while the application has no address */
  readonly addressOf: (application: Application) => string;
  readonly agent: Agent;
}

/** Requests the readiness of every application, on demand and at most once a second for all callers together. */
export function createReadiness({ addressOf, agent }: ReadinessOptions) {
  let asked: { readonly at: number; readonly states: Promise<ReadonlyMap<Application, ApplicationReadiness>> } | undefined;

  async function ask(application: Application): Promise<ApplicationReadiness> {
    try {
      return await withTimeLimit(LIMIT_MS, async (signal) => {
        const response = await request(`${addressOf(application)}/readyz`, { dispatcher: agent, signal });
        const { status, waitingFor = [] } = (await response.body.json()) as ReadinessAnswer['body'];
        if (status === 'ready') return { state: 'ready' };
        return { state: 'away', waitingFor: status === 'draining' ? 'the end of its process: it is stopping' : waitingFor.join(', ') };
      });
    } catch {
      return { state: 'away', waitingFor: 'an answer: it cannot be reached' };
    }
  }

  const askAll = async () =>
    new Map(await Promise.all(applicationNames.map(async (application) => [application, await ask(application)] as const)));

  return (): Promise<ReadonlyMap<Application, ApplicationReadiness>> => {
    const now = performance.now();
    if (!asked || now - asked.at >= FRESH_MS) asked = { at: now, states: askAll() };
    return asked.states;
  };
}
