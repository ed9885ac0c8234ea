import { z } from 'zod';
import type { ApiDefinition } from '../../catalog/define.ts';
import type { LifeCycle } from '../../catalog/life-cycle.ts';
import { objects } from '../../catalog/objects.ts';
import { hasKey } from '../openapi/application-contract.ts';
import { type Bench, Declined, Deviation, definitionOf, NotChecked, shapeTrouble, successTrouble } from './bench.ts';
import type { CallPlan, ObjectPlan, Suite } from './suite.ts';

export interface Check {
  /** `capture-limit` */
  readonly name: string;
  /** What the system does, without a subject: `never captures more than the authorised amount`. */
  readonly title: string;
  /** The capability without which it cannot be checked. */
  readonly needs?: string | undefined;
  /** The state that the system must have. */
  readonly state?: { readonly type: string; readonly state: string };
  readonly run: (bench: Bench) => Promise<void>;
}

/** The checks of a call: those that its declaration implies, then its rules. */
export function checksOf(api: ApiDefinition, suite: Suite): readonly Check[] {
  const plan = suite.calls[api.id];
  if (!plan) return [];
  return [
    ...(plan.onlyRefusals ? [] : [shape(api, plan)]),
    ...(namesObject(api) ? [unknownId(api, plan)] : []),
    ...(api.method === 'GET' ? [] : [badBody(api, plan)]),
    ...(hasKey(api) && !api.storesNothing && !plan.onlyRefusals ? keyChecks(api, plan) : []),
    ...statesOf(api, suite),
    ...suite.rules.filter((rule) => rule.api === api.id),
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
    if (typeof member === 'number') {
      yield { title: `with a negative ${at}`, body: { ...value, [name]: -member } };
      yield { title: `with zero as ${at}`, body: { ...value, [name]: 0 } };
    }
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
const statesOf = (api: ApiDefinition, suite: Suite): readonly Check[] =>
  Object.entries(suite.objects).flatMap(([type, object]) => {
    const lifeCycle = objects.find((one) => one.type === type)?.lifeCycle as LifeCycle | undefined;
    const verbs = Object.keys(object.verbs).filter((verb) => object.verbs[verb]?.call === api.id);
    if (!lifeCycle) return [];
    return verbs.flatMap((verb) => Object.keys(object.reach).map((state) => stateCheck(lifeCycle, object, verb, { type, state })));
  });

function stateCheck(lifeCycle: LifeCycle, object: ObjectPlan, verb: string, at: NonNullable<Check['state']>): Check {
  const { state } = at;
  const row = lifeCycle.rows.find((one) => one.verb === verb && one.from.includes(state));
  const named = `${/^[aeiou]/.test(state) ? 'an' : 'a'} ${state} ${lifeCycle.object}`;
  const what = `${verb} of ${named}`;
  const targets = row && (row.to.length > 0 ? row.to : [state]);
  return {
    name: `${state}-${verb}`,
    title: row ? titleOf(named, row.to) : `refuses ${named} with 409`,
    state: at,
    run: async (bench) => {
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
