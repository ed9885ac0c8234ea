import { z } from 'zod';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import type { LifeCycle } from '../../shared/catalog/life-cycle.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { answeredBy, hasKey, type Obligation, obligationOf } from '../../shared/contract/openapi/application-contract.ts';
import type { Entry } from '../../ui/report/recorded.ts';
import {
  type Bench,
  type BenchOptions,
  createBench,
  Declined,
  Deviation,
  definitionOf,
  isNotOffered,
  NoAnswer,
  NotChecked,
  NotOffered,
  shapeTrouble,
  successTrouble,
} from './bench.ts';
import type { CallPlan, ObjectPlan, Plan } from './plan.ts';

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
  readonly entries: readonly Entry[];
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

export interface ConformOptions extends BenchOptions {
  readonly plan: Plan;
  /** Names of calls and capabilities that the system lacks. */
  readonly lacks: ReadonlySet<string>;
  /** States that the system has, by type of object. Default: all. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  readonly progress: (text: string) => void;
}

interface Check {
  readonly name: string;
  readonly title: string;
  readonly needs?: string | undefined;
  readonly run: (bench: Bench) => Promise<void>;
}

/** Checks each call of an application's contract, the required ones first. */
export async function checkCalls(options: ConformOptions): Promise<readonly CallResult[]> {
  const { plan } = options;
  const results: CallResult[] = [];
  const answered = answeredBy(plan.application);
  for (const api of [...answered.filter(isRequired), ...answered.filter((one) => !isRequired(one))]) {
    results.push(await checkCall(api, options));
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
  const { plan, lacks, progress } = options;
  const call = plan.calls[api.id];
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
  for (const check of checksOf(api, call, options)) {
    progress(`${api.name}: ${check.title}`);
    const result = await runCheck(check, options);
    if (checks.length === 0 && result.outcome === 'not offered') return without('not offered', statusesIn(result));
    checks.push(result);
    // If the system did not answer in time, each further check would wait as long.
    if (check.name === 'in-time' && result.outcome !== 'passed') break;
  }
  return { api, obligation, offer: 'offered', checks, statuses: checks.flatMap(statusesIn) };
}

const statusesIn = ({ entries }: CheckResult): readonly number[] =>
  entries.flatMap((entry) => ('step' in entry ? [entry.step.status] : []));

/** Makes a call without its members. A 404 may mean the id in its path. */
async function mayOffer(api: ApiDefinition, options: ConformOptions): Promise<{ isOffered: boolean; status: number }> {
  const bench = createBench(options);
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

async function runCheck({ name, title, needs, run }: Check, { lacks, ...options }: ConformOptions): Promise<CheckResult> {
  const startedAt = Date.now();
  const bench = createBench(options);
  const ended = (outcome: Outcome, detail?: string): CheckResult => ({
    check: name,
    title,
    outcome,
    ...(detail !== undefined && { detail }),
    entries: bench.takeEntries(),
    startedAt,
    ms: Date.now() - startedAt,
  });
  if (needs !== undefined && lacks.has(needs)) return ended('not offered', `The mapping lists ${needs} under notOffered.`);
  try {
    await run(bench);
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

function checksOf(api: ApiDefinition, plan: CallPlan, options: ConformOptions): readonly Check[] {
  return [
    {
      name: 'in-time',
      title: `answers within ${options.timeoutMs} ms`,
      run: async (bench) => {
        try {
          const input = await plan.valid(bench);
          // An unknown object of the estate may be 404 too, an empty body is not.
          const answer = await bench.call(api.id, plan.onlyRefusals ? { ...input, body: {} } : input);
          if (isNotOffered(api, answer)) throw new NotOffered(`It answers ${answer.status}.`);
        } catch (error) {
          throw error instanceof NoAnswer ? new Deviation(error.message) : error;
        }
      },
    },
    ...(plan.onlyRefusals ? [] : [shape(api, plan)]),
    ...(namesObject(api) ? [unknownId(api, plan)] : []),
    ...(api.method === 'GET' ? [] : [badBody(api, plan)]),
    ...(hasKey(api) && !api.storesNothing && !plan.onlyRefusals ? keyChecks(api, plan) : []),
    ...statesOf(api, options),
    ...Object.entries(plan.rules ?? {}).map(([name, { title, needs, check }]) => ({ name, title, needs, run: check })),
  ];
}

const shape = (api: ApiDefinition, plan: CallPlan): Check => ({
  name: 'shape',
  title: 'answers a valid call with a success in the shape of the contract',
  run: async (bench) => deviate(successTrouble(api, await bench.call(api.id, await plan.valid(bench)))),
});

function deviate(trouble: string | undefined): void {
  if (trouble !== undefined) throw new Deviation(trouble);
}

const namesObject = ({ path, problems }: ApiDefinition): boolean => path.includes('{id}') && problems.includes('not_found');

const unknownId = (api: ApiDefinition, plan: CallPlan): Check => ({
  name: 'unknown-id',
  title: 'refuses an unknown id with 404',
  run: async (bench) => {
    const input = await plan.valid(bench);
    await bench.refused(api.id, { ...input, params: { ...input.params, id: bench.unique('') } }, `${api.name} with an unknown id`, 404);
  },
});

const badBody = (api: ApiDefinition, plan: CallPlan): Check => ({
  name: 'bad-body',
  title: 'refuses bodies that miss a required member or have one of another type',
  run: async (bench) => {
    const input = await plan.valid(bench);
    for (const { title, body } of badBodies(api, input.body ?? {})) {
      await bench.refused(api.id, { ...input, body }, `${api.name} ${title}`);
    }
  },
});

type Members = Readonly<Record<string, unknown>>;

/** Variants of a valid body with one mistake each, which the schema refuses. Members that only applications send stay valid. */
function badBodies(
  { request, serviceRequest }: ApiDefinition,
  valid: Members,
): readonly { readonly title: string; readonly body: Members }[] {
  const fromClients = request instanceof z.ZodObject ? request.shape : valid;
  const isFromClient = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(fromClients, name);
  const [own, others] = [true, false].map((is) => Object.fromEntries(Object.entries(valid).filter((one) => isFromClient(one) === is)));
  const bodies = [...variants(own ?? {}, [])].map(({ title, body }) => ({ title, body: { ...others, ...body } }));
  return bodies.filter(({ body }) => !serviceRequest.safeParse(body).success);
}

function* variants(value: Members, path: readonly string[]): Generator<{ title: string; body: Members }, void> {
  for (const [name, member] of Object.entries(value)) {
    const at = `/${[...path, name].join('/')}`;
    const { [name]: _left, ...without } = value;
    yield { title: `without ${at}`, body: without };
    yield { title: `with ${at} of another type`, body: { ...value, [name]: ofAnotherType(member) } };
    if (typeof member === 'number') yield { title: `with a negative ${at}`, body: { ...value, [name]: -member } };
    if (typeof member !== 'object' || member === null || Array.isArray(member)) continue;
    for (const { title, body } of variants(member as Members, [...path, name])) yield { title, body: { ...value, [name]: body } };
  }
}

const ofAnotherType = (value: unknown): unknown => (typeof value === 'string' ? { text: value } : 'other');

/** Two calls with one key have the answer and the effect of one call. */
function keyChecks(api: ApiDefinition, plan: CallPlan): readonly Check[] {
  const twice = async (bench: Bench) => {
    const input = await plan.valid(bench);
    const key = bench.unique('key-');
    const first = await bench.call(api.id, input, key);
    const trouble = successTrouble(api, first);
    if (trouble !== undefined) throw new NotChecked(trouble, api.id);
    const before = await plan.effect?.(bench, input);
    return { input, first, before, second: await bench.call(api.id, input, key) };
  };
  return [
    {
      name: 'repeat',
      title: 'answers a repeat with the same key as a success',
      run: async (bench) => {
        const { second } = await twice(bench);
        const { status } = second;
        if (status < 200 || status > 299)
          throw new Deviation(`${api.name}, repeated with the same key: expected a success, got ${status}.`);
        deviate(shapeTrouble(api, second));
      },
    },
    {
      name: 'one-effect',
      title: 'has one effect for one key',
      run: async (bench) => {
        const { input, first, before, second } = await twice(bench);
        if (isObject(first.body) && isObject(second.body) && first.body['id'] !== undefined && second.body['id'] !== undefined) {
          bench.expect('Id in the answer to the repeat', second.body['id'], first.body['id']);
        }
        bench.expect('Effect after the repeat', await plan.effect?.(bench, input), before);
      },
    },
  ];
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** For each object that this call moves: one check per state. */
function statesOf(api: ApiDefinition, { plan, states }: ConformOptions): readonly Check[] {
  return Object.entries(plan.objects).flatMap(([type, object]) => {
    const lifeCycle = objects.find((one) => one.type === type)?.lifeCycle as LifeCycle | undefined;
    const verbs = Object.entries(object.verbs).filter(([, { call }]) => call === api.id);
    if (!lifeCycle) return [];
    return verbs.flatMap(([verb]) =>
      Object.keys(object.reach).map((state) =>
        stateCheck({ lifeCycle, object, verb, state, isListed: states[type]?.includes(state) ?? true }),
      ),
    );
  });
}

interface StateCheck {
  readonly lifeCycle: LifeCycle;
  readonly object: ObjectPlan;
  readonly verb: string;
  readonly state: string;
  /** Whether the mapping lists the state. */
  readonly isListed: boolean;
}

function stateCheck({ lifeCycle, object, verb, state, isListed }: StateCheck): Check {
  const row = lifeCycle.rows.find((one) => one.verb === verb && one.from.includes(state));
  const named = `${/^[aeiou]/.test(state) ? 'an' : 'a'} ${state} ${lifeCycle.object}`;
  const what = `${verb} of ${named}`;
  const targets = row && (row.to.length > 0 ? row.to : [state]);
  return {
    name: `${state}-${verb}`,
    title: row ? titleOf(named, row.to) : `refuses ${named} with 409`,
    run: async (bench) => {
      if (!isListed) throw new NotOffered(`The mapping does not list the state ${state}.`);
      const { call, input } = object.verbs[verb] as ObjectPlan['verbs'][string];
      const found = await object.reach[state]?.(bench);
      if (found === undefined) throw new Declined(`The system keeps no ${lifeCycle.object} that is ${state}.`, call);
      if (found.state !== state) throw new NotChecked(`No ${lifeCycle.object} is ${state}: it is ${found.state}.`, call);
      if (targets) {
        const answer = await bench.call(call, input(found));
        deviate(successTrouble(definitionOf(call), answer));
        if (!targets.includes(answer.body.state))
          throw new Deviation(`${what}: expected ${targets.join(' or ')}, got ${answer.body.state}.`);
      } else await bench.refused(call, input(found), what, 409);
      const after = await object.read(bench, found);
      const expected = targets ?? [state];
      if (after && !expected.includes(after.state))
        throw new Deviation(`After ${what}: expected ${expected.join(' or ')}, got ${after.state}.`);
    },
  };
}

const titleOf = (named: string, targets: readonly string[]): string =>
  targets.length === 0 ? `leaves ${named} as it is` : `moves ${named} to ${targets.join(' or ')}`;
