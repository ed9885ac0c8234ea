import type { ApiDefinition } from '../../catalog/define.ts';
import { answeredBy, type Obligation, obligationOf } from '../../contract/openapi/application-contract.ts';
import {
  type Bench,
  type BenchOptions,
  createBench,
  Declined,
  Deviation,
  isNotOffered,
  NoAnswer,
  NotChecked,
  NotOffered,
} from '../../contract/suites/bench.ts';
import { type Check, checksOf } from '../../contract/suites/checks.ts';
import type { CallPlan, Suite } from '../../contract/suites/suite.ts';
import { type MadeCall, type SystemOptions, systemAt } from './system.ts';

/** `not checked`: a call that prepares the check failed. */
export type Outcome = 'passed' | 'failed' | 'not checked' | 'not offered';

export interface CheckResult {
  /** `capture-limit` */
  readonly check: string;
  readonly title: string;
  readonly outcome: Outcome;
  /** The call that prepares the check, and failed. */
  readonly needs?: string;
  /** It was not checked because the system declines its preparation, as it may, or because the call in `needs` has its own mistake. */
  readonly isExcused?: true;
  /** A sentence, unless it passed. */
  readonly detail?: string;
  /** The calls that it made. */
  readonly calls: readonly MadeCall[];
  readonly startedAt: number;
  readonly ms: number;
}

export interface CallResult {
  readonly api: ApiDefinition;
  readonly obligation: Obligation;
  /** `unchecked`: no application makes the call, so it has no checks. The system may offer it. */
  readonly offer: 'offered' | 'not offered' | 'unchecked';
  readonly checks: readonly CheckResult[];
  /** The statuses of all answers; 0 for a call without an answer. */
  readonly statuses: readonly number[];
}

export interface ConformOptions extends SystemOptions, Omit<BenchOptions, 'call'> {
  readonly suite: Suite;
  /** Names of calls and capabilities that the system lacks. */
  readonly lacks: ReadonlySet<string>;
  /** States that the system has, by type of object. Default: all. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  /** Called before each check. */
  readonly onCheck?: (api: ApiDefinition, title: string) => void;
  readonly onResult?: (api: ApiDefinition, result: CheckResult) => void;
  readonly onCall?: (result: CallResult) => void;
  /** Stops before the next check. */
  readonly signal?: AbortSignal | undefined;
}

/** Checks each call of an application's contract, the required ones first. */
export async function checkCalls(options: ConformOptions): Promise<readonly CallResult[]> {
  const { suite } = options;
  const results: CallResult[] = [];
  const answered = answeredBy(suite.application);
  for (const api of [...answered.filter(isRequired), ...answered.filter((one) => !isRequired(one))]) {
    const result = await checkCall(api, options);
    options.onCall?.(result);
    results.push(result);
  }
  const faulty = new Set(results.filter(isFaulty).map(({ api }) => api.id));
  return results.map((result) => ({
    ...result,
    checks: result.checks.map((one) =>
      one.needs !== undefined && one.needs !== result.api.id && faulty.has(one.needs) ? { ...one, isExcused: true } : one,
    ),
  }));
}

/** Whether a result shows a mistake of the call itself. */
const isFaulty = ({ obligation, offer, checks }: CallResult): boolean =>
  (obligation === 'must' && offer === 'not offered') || checks.some(({ outcome }) => outcome === 'failed');

const isRequired = (api: ApiDefinition): boolean => obligationOf(api) === 'must';

async function checkCall(api: ApiDefinition, options: ConformOptions): Promise<CallResult> {
  const { suite, lacks, onCheck, onResult, signal } = options;
  signal?.throwIfAborted();
  const call = suite.calls[api.id];
  const obligation = obligationOf(api);
  const isLacking = lacks.has(api.id) || (call?.needs !== undefined && lacks.has(call.needs));
  const without = (offer: CallResult['offer'], statuses: readonly number[] = []): CallResult => ({
    ...{ api, obligation, offer, statuses },
    checks: [],
  });
  if (isLacking) return without('not offered');
  if (call === undefined) {
    const { isOffered, status } = await mayOffer(api, options);
    return without(isOffered ? 'unchecked' : 'not offered', [status]);
  }
  const checks: CheckResult[] = [];
  for (const check of [inTime(api, call, options.system.timeoutMs), ...checksOf(api, suite)]) {
    signal?.throwIfAborted();
    onCheck?.(api, check.title);
    const result = await runCheck(check, options);
    if (checks.length === 0 && result.outcome === 'not offered') return without('not offered', statusesIn(result));
    onResult?.(api, result);
    checks.push(result);
    // If the system did not answer in time, each further check would wait as long.
    if (check.name === 'in-time' && result.outcome !== 'passed') break;
  }
  return { api, obligation, offer: 'offered', checks, statuses: checks.flatMap(statusesIn) };
}

const statusesIn = ({ calls }: CheckResult): readonly number[] => calls.map(({ status }) => status);

/** Makes a call without its members. A 404 may mean the id in its path. */
async function mayOffer(api: ApiDefinition, options: ConformOptions): Promise<{ isOffered: boolean; status: number }> {
  const bench = createBench({ ...options, ...systemAt(options) });
  const params = Object.fromEntries([...api.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, bench.unique('')]));
  try {
    const answer = await bench.call(api.id, { params });
    const { status } = answer;
    return { isOffered: !isNotOffered(api, answer) || (status === 404 && Object.keys(params).length > 0), status };
  } catch (error) {
    if (error instanceof NoAnswer) return { isOffered: true, status: 0 };
    throw error;
  }
}

async function runCheck({ name, title, needs, state, run }: Check, options: ConformOptions): Promise<CheckResult> {
  const { lacks, states } = options;
  const startedAt = Date.now();
  const system = systemAt(options);
  const ended = (outcome: Outcome, detail?: string): CheckResult => ({
    check: name,
    title,
    outcome,
    ...(detail !== undefined && { detail }),
    calls: system.takeCalls(),
    startedAt,
    ms: Date.now() - startedAt,
  });
  if (needs !== undefined && lacks.has(needs)) return ended('not offered', `The mapping lists ${needs} under notOffered.`);
  if (state && !(states[state.type]?.includes(state.state) ?? true))
    return ended('not offered', `The mapping does not list the state ${state.state}.`);
  try {
    await run(createBench({ ...options, ...system }));
    return ended('passed');
  } catch (error) {
    if (error instanceof Deviation) return ended('failed', error.message);
    if (error instanceof NotOffered) return ended('not offered', error.message);
    if (error instanceof Declined) return { ...ended('not checked', error.message), isExcused: true };
    if (error instanceof NotChecked) return { ...ended('not checked', error.message), needs: error.needs };
    if (error instanceof NoAnswer) return ended('not checked', error.message);
    throw error;
  }
}

const inTime = (api: ApiDefinition, plan: CallPlan, timeoutMs: number): Check => ({
  name: 'in-time',
  title: `answers within ${timeoutMs} ms`,
  run: async (bench: Bench) => {
    try {
      const input = await plan.valid(bench);
      // An unknown object of the estate may be 404 too, an empty body is not.
      const answer = await bench.call(api.id, plan.onlyRefusals ? { ...input, body: {} } : input);
      if (isNotOffered(api, answer)) throw new NotOffered(`It answers ${answer.status}.`);
    } catch (error) {
      throw error instanceof NoAnswer ? new Deviation(error.message) : error;
    }
  },
});
