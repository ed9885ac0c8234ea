import type { EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import type { Played, Playing, PlayOptions, UserSystem } from '../../rehearsal/harden/play.ts';
import { outsideCalls } from '../../rehearsal/harden/sites.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import { attended, type Report, stageOf, stoppable } from '../../rehearsal/stage.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { pause } from '../../shared/process/waiting.ts';
import { misuse } from '../failure.ts';
import { chosenScenarios } from '../rehearse/choice.ts';
import { supervised } from '../rehearse/supervision.ts';
import type { EndedChild } from './child.ts';

/** Wall time in milliseconds that a service has for its start. */
const START_MS = 30_000;
const POLL_MS = 100;
/** Wall time in milliseconds without a call of the service, after which it is at rest. */
const QUIET_MS = 300;
/** The same for a service that may repeat a call later. */
const REPEAT_MS = 3_000;
/** Longest wall time in milliseconds until a service that polls counts as being at rest. */
const LONGEST_REST_MS = 20_000;
/** Exit code of a story that fails. */
const FAILED = 1;

/** @throws CommandFailure unless the word names one scenario of the estate, or of a file */
export async function storyNamed(word: string): Promise<Scenario> {
  const [first, ...others] = (await chosenScenarios([word])).map(({ scenario }) => scenario);
  if (first !== undefined && others.length === 0) return first;
  const names = [first, ...others].map((one) => one?.name).join(', ');
  throw misuse(`--story ${word} has several scenarios: ${names}. Name one, or put it into a separate file.`);
}

export interface EndedService extends EndedChild {
  /** What it has written as what it holds to be true. */
  readonly check?: string;
}

export interface ServiceOptions {
  readonly story: Scenario;
  /** Address that answers with a status below 400 when the service is ready. By default, the service has registered a webhook by then. */
  readonly ready?: (rehearsal: EstateRehearsal) => string | undefined;
  /** Runs the service until the signal. */
  readonly run: (rehearsal: EstateRehearsal, how: { readonly until: AbortSignal; readonly signal?: AbortSignal }) => Promise<EndedService>;
  /** Receives the output of a service that failed, or whose story did. */
  readonly onFailure?: (output: string) => void;
}

/** The estate plays the story, and the user's service runs beside it. It is started before the story, and ended after its patience. */
export const storyBeside = (options: ServiceOptions): Pick<UserSystem, 'play' | 'beside'> => ({
  play: (rehearsal, how) => playBeside(rehearsal, how, options),
  beside: { rest: (rehearsal, mayRepeat) => quiet(rehearsal, mayRepeat) },
});

async function playBeside(
  rehearsal: EstateRehearsal,
  how: PlayOptions,
  { story, ready, run, onFailure }: ServiceOptions,
): Promise<Playing> {
  const { limitMs, signal, isRepeated } = how;
  const stop = new AbortController();
  let early: EndedService | undefined;
  const running = run(rehearsal, { until: stop.signal, signal }).then((ended) => {
    if (!stop.signal.aborted) early = ended;
    return ended;
  });
  running.catch(() => undefined);
  let [told, ended]: [Played | undefined, Promise<Played> | undefined] = [undefined, undefined];

  async function endService(): Promise<Played> {
    const isEarly = early !== undefined;
    stop.abort();
    const { exitCode, output, check } = await running;
    const outcome: Played = isEarly
      ? { exitCode: exitCode || FAILED, ending: `Your service ended with exit code ${exitCode} before its story did.` }
      : (told ?? WELL);
    if (outcome.exitCode !== 0) onFailure?.(output);
    return { ...outcome, check };
  }
  const end = (): Promise<Played> => (ended ??= endService());

  try {
    const untold = await readyWithin(START_MS, () => early !== undefined, rehearsal, ready?.(rehearsal), signal);
    if (untold !== undefined) told = { exitCode: undefined, ending: untold };
    else if (early === undefined && !isRepeated) told = await tellStory(rehearsal, story, limitMs, signal);
    return { ...(told ?? WELL), end };
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
}

const WELL: Played = { exitCode: 0, ending: 'The story ended, and your service still ran.' };

/** @returns why the service is not ready; undefined when it is, or when it has ended */
async function readyWithin(
  limitMs: number,
  hasEnded: () => boolean,
  rehearsal: EstateRehearsal,
  url: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const until = performance.now() + limitMs;
  for (;;) {
    if (hasEnded()) return undefined;
    const trouble = url === undefined ? await withoutWebhook(rehearsal) : await answerTrouble(url, signal);
    if (trouble === undefined) return undefined;
    if (performance.now() > until) return `Your service was not ready within ${limitMs / 1_000} s: ${trouble}`;
    await pause(POLL_MS);
    signal?.throwIfAborted();
  }
}

async function withoutWebhook(rehearsal: EstateRehearsal): Promise<string | undefined> {
  const { items } = await rehearsal.control('list-webhooks');
  return items.length > 0
    ? undefined
    : 'it registered no webhook in its rehearsal. Let it register one, or name with --ready an address that answers when it is ready.';
}

async function answerTrouble(url: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const limit = AbortSignal.timeout(START_MS);
  try {
    const answer = await fetch(url, { signal: signal === undefined ? limit : AbortSignal.any([limit, signal]) });
    await answer.body?.cancel();
    return answer.status < 400 ? undefined : `${url} answered ${answer.status}. Correct --ready, or let it answer with a lower status.`;
  } catch (error) {
    return `${url} gave no answer: ${errorMessage((error as Error).cause ?? error)}. Correct --ready, or let the service listen there.`;
  }
}

const SILENT: Report = {
  begin: () => undefined,
  step: () => undefined,
  note: () => undefined,
  invariants: () => undefined,
  end: () => undefined,
};

async function tellStory(rehearsal: EstateRehearsal, story: Scenario, limitMs: number, interrupted?: AbortSignal): Promise<Played> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = interrupted === undefined ? limit : AbortSignal.any([limit, interrupted]);
  try {
    const { now } = await rehearsal.control('read-clock');
    const { stage, requireFinished } = attended(stageOf(rehearsal.client, SILENT, { ...rehearsal.credentials, now }));
    await supervised(async (stopped) => story.run(stoppable(stage, stopped)), { interrupted: signal });
    requireFinished();
    return WELL;
  } catch (error) {
    interrupted?.throwIfAborted();
    if (limit.aborted) return { exitCode: undefined, ending: `The story did not end within ${Math.round(limitMs / 1_000)} s.` };
    return { exitCode: FAILED, ending: `The story failed: ${errorMessage(error)}`, isStoryBroken: true };
  }
}

/** Waits until no hop has been added for a while. A service whose last call failed gets more time, because it may repeat the call. */
async function quiet(rehearsal: EstateRehearsal, mayRepeat: boolean): Promise<void> {
  const began = performance.now();
  let [newest, since, quietMs] = [0, began, QUIET_MS];
  while (performance.now() - began < LONGEST_REST_MS) {
    await rehearsal.control('settle');
    const { next, items } = await rehearsal.control('read-journal', { query: { limit: LAST_HOPS, bodies: 'false' } });
    const now = performance.now();
    if (next !== newest) {
      const last = outsideCalls(items).at(-1);
      const hasFailed = last !== undefined && (last.status === 0 || last.status >= 400 || last.faults.length > 0);
      [newest, since, quietMs] = [next, now, mayRepeat && hasFailed ? REPEAT_MS : QUIET_MS];
    } else if (now - since >= quietMs) return;
    await pause(POLL_MS);
  }
}

/** Hops among which the last call of a service is looked for. */
const LAST_HOPS = 50;
