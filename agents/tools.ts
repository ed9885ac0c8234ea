import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { OperationInput, OperationOutput } from '../rehearsal/call-types.ts';
import type { Reply } from '../rehearsal/reply.ts';
import { whyUnverified } from '../shared/catalog/control/drift.ts';
import { type FaultPresetId, faultPresets } from '../shared/catalog/control/fault-presets.ts';
import { ANY_TYPE } from '../shared/catalog/control/operations/explanations.ts';
import { createRehearsal } from '../shared/catalog/control/operations/rehearsals.ts';
import { SnapshotName } from '../shared/catalog/control/operations/snapshots.ts';
import { objects } from '../shared/catalog/objects.ts';
import { type ProblemCode, problems } from '../shared/catalog/problems.ts';
import { problemMeanings } from '../shared/contract/tables/problem-meanings.ts';
import { type Answer, partOf } from './answer.ts';
import { CALL_HEADERS, isRead, send } from './calls.ts';
import { AgentMistake, type AgentWorld, type AgentWorlds, isKept } from './worlds.ts';

/** A tool of the server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly readOnly: boolean;
  /** @throws AgentMistake, PathRefused, ControlError, ConnectionError */
  readonly run: (input: never, worlds: AgentWorlds) => Promise<Answer>;
}

const World = z.string().max(80).describe('Handle of your world, from open_world.');
const WorldOrKept = z.string().max(80).describe('Handle of your world, or of a world that you kept.');

/** Longest wall time that the estate takes to answer. Clients usually wait for a minute. */
const TimeoutMs = z.int().min(0).max(50_000).describe('Wall time limit in milliseconds.');

/** Defines a tool that opens a world. */
const tool = <Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run' | 'readOnly'> & {
    readonly input: Input;
    readonly readOnly?: true;
    readonly run: (input: z.output<Input>, worlds: AgentWorlds) => Promise<Answer>;
  },
): Tool => ({ readOnly: false, ...definition });

/** Defines a tool that works in a world of the agent. */
const toolIn = <Shape extends z.ZodRawShape>({
  input,
  run,
  ...definition
}: Omit<Tool, 'input' | 'run' | 'readOnly'> & {
  readonly input: Shape;
  readonly readOnly?: true;
  readonly run: (input: z.output<z.ZodObject<Shape>>, world: AgentWorld) => Promise<Answer>;
}): Tool =>
  tool({
    ...definition,
    input: z.strictObject({ world: World, ...input }),
    run: async (given, worlds) =>
      run(given as unknown as z.output<z.ZodObject<Shape>>, await worlds.find((given as { world: string }).world)),
  });

const openWorld = tool({
  name: 'open_world',
  title: 'Open a world',
  description:
    'Opens a fresh world of the simulated retailer: its own data, clock, faults and events, apart from everybody else. It ends when it is not used for its idle time.',
  input: z.strictObject({
    name: createRehearsal.request.shape.name.describe('Name of the rehearsal, for people who watch. Default: a new one.'),
    idleExpiry: createRehearsal.request.shape.idleExpiry.unwrap().default('PT1H').describe('Idle time: an ISO 8601 duration of wall time.'),
    from: WorldOrKept.optional().describe(
      'Handle of your world, or of a world that you kept: the new world begins as its copy. Default: fresh.',
    ),
    seed: createRehearsal.request.shape.seed,
    startsAt: createRehearsal.request.shape.startsAt,
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Your own data by file, as in create-rehearsal: {"products": [{"sku": "mug-blue", "price": {…}}]}.'),
  }),
  run: async ({ name, idleExpiry, data, from, ...begin }, worlds) => {
    const copied = from === undefined ? undefined : await placeOf(from, worlds);
    const {
      handle,
      client,
      name: rehearsal,
    } = await worlds.open({
      ...begin,
      name,
      idleExpiry,
      data: data as NonNullable<OwnData>,
      from: copied && { [copied.kind]: copied.name },
    });
    const { now } = await client.control('read-clock');
    return {
      facts: { world: handle, rehearsal, now, endsAfterIdle: idleExpiry },
      next: 'Pass this world to every tool. Make a call, for example call {"id": "create-basket-api", "body": {"channel": "web"}}. Resources: estate://apis, estate://apis/{id} for a schema, estate://test-values for products, customers and payment tokens.',
    };
  },
});

/** What a handle stands for. @throws AgentMistake unless it belongs to the agent */
async function placeOf(handle: string, worlds: AgentWorlds) {
  const kind = isKept(handle) ? ('snapshot' as const) : ('rehearsal' as const);
  const { name, client } = await (kind === 'snapshot' ? worlds.findKept(handle) : worlds.find(handle));
  return { kind, name, client };
}

type OwnData = NonNullable<OperationInput<'create-rehearsal'>['body']>['data'];

const call = toolIn({
  name: 'call',
  title: 'Call an API',
  description:
    'Calls an API of the retailer by its id (estate://apis), or plays the outside world and looks into this world (estate://operations: play-scan, read-object, list-events, read-journal …). The estate validates the input against its catalog and names every mistake.',
  input: {
    id: z.string().max(80).describe('create-order-api, read-object, play-scan …'),
    params: z.record(z.string(), z.string()).optional().describe('Parameters in the path: {"id": "ord_…"}.'),
    query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    headers: z.partialRecord(z.enum(CALL_HEADERS), z.string().max(300)).optional().describe('Repeat a call with its idempotency-key.'),
    body: z.unknown().optional().describe('JSON body.'),
    dryRun: z.boolean().optional().describe('true checks whether the call is possible, and changes nothing.'),
    part: z
      .string()
      .max(200)
      .regex(/^(?:\/|$)/, 'A JSON Pointer begins with "/".')
      .default('')
      .describe('JSON Pointer to the part of the answer to show: /items/3. Only for calls that read, and dry runs.'),
    from: z.int().min(0).default(0).describe('First entry to show, if the part is a list.'),
  },
  run: async ({ part, from, ...wanted }, world) => {
    const reads = isRead(wanted.id) || wanted.dryRun === true;
    if (part !== '' && !reads)
      throw new AgentMistake('Only a call that reads, or a dry run, takes a part. Read the object afterwards, with read-object.');
    const reply = await send(world, wanted);
    const body = reply.ok ? partOf(reply.body, part, from) : reply.body;
    if (body === undefined && part !== '') throw new AgentMistake(`The answer has nothing at ${part}. Ask without a part first.`);
    const correlationId = reply.headers['x-correlation-id'];
    return {
      facts: { status: reply.status, correlationId, body },
      next: reply.ok && wanted.dryRun ? NEXT_AFTER_DRY_RUN : nextAfter(wanted.id, reads, reply),
      rest: reads
        ? 'repeat the call with part and from, such as {"part": "/items", "from": 10} or {"part": "/items/3"}, or with its query limit and cursor'
        : 'read the object with call read-object, and a part',
    };
  },
});

const NEXT_AFTER_DRY_RUN = 'Nothing has changed. To make the call, repeat it without dryRun.';

/** For a refusal, the remedy of its problem. */
function nextAfter(id: string, reads: boolean, { ok, body }: Reply): string {
  if (ok && reads) return 'If something is not as you expect: wait lets the consequences happen, verify checks all records.';
  if (ok) return 'Consequences run now: wait, then read-object, or list-events with this correlationId.';
  const { code } = body;
  if (!Object.hasOwn(problems, code)) return 'Repeat the call, or read its hop with read-journal.';
  const [, remedy] = problemMeanings[code as ProblemCode];
  return code === 'validation_failed' ? `${remedy} The resource estate://apis/${id} has the schema.` : remedy;
}

const advance = toolIn({
  name: 'advance',
  title: 'Advance the clock',
  description:
    'Advances the clock of the world and runs the work that falls due on the way, in order: expiries, captures, scans of the carrier. Otherwise the clock flows with wall time.',
  input: {
    by: z.string().max(64).optional().describe('ISO 8601 duration: PT15M, P2D.'),
    to: z.string().max(64).optional().describe('An instant, instead of by.'),
    timeoutMs: TimeoutMs.default(45_000),
  },
  run: async ({ by, to, timeoutMs }, { client }) => {
    const { now, ran, settled, waitingFor } = await client.control('advance-clock', { body: { by, to, timeoutMs } });
    return {
      facts: {
        now,
        settled,
        waitingFor,
        ran: ran.length,
        work: ran.map(({ application, kind, key, at }) => `${at} ${application} ${kind} ${key}`),
      },
      next: settled
        ? 'Look at what changed: call read-object, or list-events.'
        : 'The world has not settled. Repeat with the same to, or wait.',
      rest: 'call list-clock-moves, or read-journal',
    };
  },
});

const PRESETS = faultPresets.map(({ id }) => id) as [FaultPresetId, ...FaultPresetId[]];

const breakWorld = toolIn({
  name: 'break',
  title: 'Set a fault',
  description:
    'Sets a fault: on calls (latency, status, outage, drop, lost-response, barrier, expired-token), on events (duplicate, late, reorder, withhold) or on the webhooks of the carrier. The kinds permitted and forbidden change what clients get. Either a preset or a rule (estate://faults).',
  input: {
    preset: z.enum(PRESETS).optional().describe('A ready-made fault.'),
    name: z.string().max(64).optional().describe('Your name for the fault. Default: the name of the preset.'),
    rule: z
      .looseObject({})
      .optional()
      .describe('{"match": {"api": "capture-payment-api"}, "fault": {"kind": "status", "status": 503}, "times": 1}'),
  },
  run: async ({ preset, name = preset, rule: own }, { client }) => {
    if ((preset === undefined) === (own === undefined)) throw new AgentMistake('Give either a preset or a rule.');
    if (name === undefined) throw new AgentMistake('A rule needs a name, which mend deletes.');
    const known = faultPresets.find(({ id }) => id === preset);
    const rule = (own ?? known?.rule) as OperationInput<'put-fault'>['body'];
    const set = await client.control('put-fault', { params: { name }, body: rule });
    return {
      facts: { ...set, effect: known?.effect },
      next: `Repeat the calls that it should strike. call list-faults counts its strikes; mend {"name": "${name}"} deletes it.`,
    };
  },
});

const mend = toolIn({
  name: 'mend',
  title: 'Delete faults',
  description: 'Deletes a fault, or all faults, and releases the events and webhooks that they withheld.',
  input: { name: z.string().max(64).optional().describe('Default: all faults.') },
  run: async ({ name }, { client }) => {
    await (name === undefined ? client.control('delete-faults') : client.control('delete-fault', { params: { name } }));
    const { items } = await client.control('list-faults');
    return {
      facts: { left: items.map((fault) => fault.name) },
      next: 'What was withheld is being delivered: wait, then verify. Work that was refused is retried on the clock: advance.',
      rest: 'call list-faults',
    };
  },
});

const POLL_MS = 100;

const wait = toolIn({
  name: 'wait',
  title: 'Wait',
  description:
    'Waits until the world has settled: no event is unsent, no delivery pending, no due work running. With event or object, waits for that event or state instead. Does not advance the clock.',
  input: {
    event: z
      .strictObject({ type: z.string().max(120), subject: z.string().max(160).optional(), count: z.int().min(1).max(100).default(1) })
      .optional()
      .describe('{"type": "order-confirmed", "subject": "order/ord_…"}'),
    object: z
      .strictObject({ type: z.string().max(60), id: z.string().max(120), state: z.string().max(60) })
      .optional()
      .describe('{"type": "order", "id": "ord_…", "state": "completed"}'),
    timeoutMs: TimeoutMs.default(10_000),
  },
  run: async ({ event, object, timeoutMs }, world) => {
    if (event && object) throw new AgentMistake('Wait for an event or for an object, not for both.');
    if (event) return waitForEvent(world, { ...event, timeoutMs });
    if (object) return waitForState(world, { ...object, timeoutMs });
    const outcome = await world.client.control('settle', { body: { timeoutMs } });
    return { facts: outcome, next: nextAtRest(outcome), rest: 'call list-parked, or settle with a part' };
  },
});

interface Rest {
  readonly settled: boolean;
  readonly parked: readonly unknown[];
  readonly withheld: readonly unknown[];
}

function nextAtRest({ settled, parked, withheld }: Rest): string {
  if (!settled) return 'It has not settled: waitingFor names what is missing. Wait again, or look into the journal with call read-journal.';
  if (withheld.length > 0) return 'Faults withhold events or webhooks: withheld names each fault. mend releases them.';
  if (parked.length > 0) return 'Work was refused too often: parked has the error. Remove its cause, then call redrive-parked.';
  return 'Nothing moves now. Timers wait for the clock: advance. The outside world waits for you: estate://operations.';
}

async function waitForEvent(
  { client }: AgentWorld,
  wanted: { type: string; subject?: string | undefined; count: number; timeoutMs: number },
): Promise<Answer> {
  const { found, items } = await client.control('wait-for-events', { body: wanted as OperationInput<'wait-for-events'>['body'] });
  return {
    facts: { found, events: items.map(({ event }) => event) },
    next: found
      ? 'Read the object of the subject with call read-object.'
      : 'It did not come. wait without event names what is withheld, parked or unfinished.',
    rest: 'call list-events with type, subject, after and limit',
  };
}

/** Polls, since a client of the agent may work in the world at the same time. */
async function waitForState(
  { client }: AgentWorld,
  wanted: { type: string; id: string; state: string; timeoutMs: number },
): Promise<Answer> {
  const { type, id, state, timeoutMs } = wanted;
  const ends = performance.now() + timeoutMs;
  for (;;) {
    const object = await client.control('read-object', { params: { type, id } });
    refuseUnreachable(type, object['state'], state);
    if (object['state'] === state)
      return { facts: { found: true, object }, next: 'verify checks that all records agree.', rest: 'call read-object with a part' };
    if (performance.now() >= ends) {
      const outcome = await client.control('settle', { body: { timeoutMs: 0 } });
      return { facts: { found: false, state: object['state'], ...outcome }, next: nextAtRest(outcome), rest: 'call list-parked' };
    }
    await pause(POLL_MS);
  }
}

/** @throws AgentMistake for a state that the life cycle does not reach from the present one */
function refuseUnreachable(type: string, now: unknown, wanted: string): void {
  const lifeCycle = objects.find((one) => one.type === type)?.lifeCycle;
  if (!lifeCycle) throw new AgentMistake(`A ${type} has no states. Read it with call read-object.`);
  const ahead = [String(now)];
  for (const state of ahead) {
    const next = lifeCycle.rows.filter(({ from }) => from.includes(state)).flatMap(({ to }) => to);
    ahead.push(...[...new Set(next)].filter((one) => !ahead.includes(one)));
  }
  if (ahead.includes(wanted)) return;
  const why = lifeCycle.states.includes(wanted) ? `from this state it never becomes ${wanted}` : `it has no state ${wanted}`;
  const rest = ahead.slice(1);
  throw new AgentMistake(
    `The ${type} is ${now}: ${why}. ${rest.length > 0 ? `It can become ${rest.join(', ')}.` : 'This state is final.'}`,
  );
}

const explain = toolIn({
  name: 'explain',
  title: 'Explain an object',
  description:
    'Explains why an object is as it is: its state and what brought it there, what it waits for, what is withheld, parked or struck by a fault, and which calls would move it now.',
  input: {
    id: z.string().max(120).describe('ord_…, pay_…, shp_…'),
    type: z.string().max(60).default(ANY_TYPE).describe('Default: found by the id.'),
  },
  readOnly: true,
  run: async ({ id, type }, { client }) => {
    const explained = await client.control('explain-object', { params: { type, id } });
    const { head, state, since, reasons, moves, waitsFor } = explained;
    return {
      facts: {
        head,
        state,
        since,
        reasons: shownReasons(reasons),
        waitsFor: waitsFor.map((one) => ({ id: one.id, head: one.head, reasons: shownReasons(one.reasons) })),
        possible: moves
          .filter((move) => move.possible)
          .map(({ verb, call: by, to }) => `${verb} -> ${to.join(' or ')}${by === undefined ? '' : `: ${by}`}`),
        notNow: moves.filter((move) => !move.possible && move.by !== 'estate').map(({ verb, why = '' }) => `${verb}: ${why}`),
      },
      next: nextAfterExplanation(explained),
      rest: `call {"id": "explain-object", "params": {"type": "${explained.type}", "id": "${id}"}, "part": "/moves"}`,
    };
  },
});

type Explanation = OperationOutput<'explain-object'>;

/** Each sentence once: a fault may withhold several events alike. */
const shownReasons = (reasons: Explanation['reasons']): string[] => [
  ...new Set(reasons.map(({ kind, code, text }) => `${kind} (${code}): ${text}`)),
];

/** The nearest step: trouble is removed before anything is awaited. */
function nextAfterExplanation({ reasons, waitsFor, moves, isFinal }: Explanation): string {
  const all = [...reasons, ...waitsFor.flatMap((one) => one.reasons)];
  const fault = all.flatMap(({ kind, refs }) => (kind === 'trouble' ? refs : [])).find(({ what }) => what === 'fault');
  if (fault) return `A fault causes trouble: mend {"name": "${fault.id}"}, then wait.`;
  if (all.some(({ kind }) => kind === 'trouble'))
    return 'Something is parked or late: wait names it. Remove the cause, then call redrive-parked.';
  if (isFinal) return 'No verb leads out of this state.';
  if (all.some(({ code }) => code === 'next-step' || code === 'deadline'))
    return 'A timer moves it: advance the clock to the time that the reason names.';
  const move = moves.find(({ possible, call: by }) => possible && by !== undefined);
  return move ? `You can move it: call {"id": "${move.call}"}. estate://apis/${move.call} has the schema.` : 'wait, then explain it again.';
}

const verify = toolIn({
  name: 'verify',
  title: 'Verify the world',
  description: 'Settles the world, then checks the invariants over all its records: stock, money, points, parcels and events agree.',
  input: {},
  readOnly: true,
  run: async (_input, { client }) => {
    const { holds, settled, waitingFor, invariants, forbidden } = await client.control('verify');
    const broken = invariants.filter((one) => !one.holds).map(({ id, title, violations }) => ({ id, title, violations }));
    const waiting = invariants.flatMap((one) => one.waiting ?? []);
    return {
      facts: { holds, settled, waitingFor, checked: invariants.length, broken, waiting, forbidden },
      next: whyUnverified(forbidden) ?? nextAfterVerify(holds, waiting.length > 0),
      rest: 'call verify with a part, such as {"id": "verify", "part": "/invariants"}',
    };
  },
});

function nextAfterVerify(holds: boolean, waits: boolean): string {
  if (!holds)
    return 'Each violation names its records: explain them, or read them with call read-object, and their hops with read-journal.';
  if (waits) return 'All records agree. waiting names the actor that each open order waits for. explain shows why.';
  return 'All records agree, and no open order waits for anybody.';
}

const keep = tool({
  name: 'keep',
  title: 'Keep a world',
  description:
    'Settles your world and keeps a copy that does not end. open_world begins from it as often as you like; diff compares it. Delete it with close.',
  input: z.strictObject({ world: World, name: SnapshotName.optional().describe('Name of the copy. Default: a new one.') }),
  run: async ({ world: handle, name }, worlds) => {
    const world = await worlds.find(handle);
    const kept = await worlds.keep(world, name ?? `${world.name.slice(0, 32)}-${randomBytes(3).toString('hex')}`);
    return {
      facts: { kept: kept.handle, objects: kept.objects },
      next: 'Continue in the world. diff {"from": kept, "to": world} shows what changed since; open_world {"from": kept} begins again from here.',
    };
  },
});

const diff = tool({
  name: 'diff',
  title: 'Compare two worlds',
  description:
    'Compares two worlds, or a world with a kept one: which books (sums of states, money, stock, points and events), objects, stock and balances differ.',
  input: z.strictObject({
    from: WorldOrKept,
    to: WorldOrKept,
    type: z.string().max(60).optional().describe('Only objects of this type: order, payment …'),
    skip: z.int().min(0).default(0).describe('Number of objects to leave out, to read the rest of a long list.'),
  }),
  readOnly: true,
  run: async ({ from, to, type, skip }, worlds) => {
    const [before, after] = [await placeOf(from, worlds), await placeOf(to, worlds)];
    const written = ({ kind, name }: typeof before): string => `${kind}:${name}`;
    const { books, objects, counters, omitted } = await after.client.control('compare-worlds', {
      query: { from: written(before), to: written(after) },
    });
    const wanted = objects.filter((one) => type === undefined || one.type === type);
    return {
      facts: {
        differ: wanted.length,
        omitted,
        books:
          type === undefined ? books.map(({ book, entry, ...change }) => `${book} ${entry}: ${change.from} -> ${change.to}`) : undefined,
        objects: wanted.slice(skip),
        counters:
          type === undefined
            ? counters.map(
                ({ application, counter, key, field, ...change }) =>
                  `${application} ${counter} ${key} ${field}: ${change.from} -> ${change.to}`,
              )
            : undefined,
      },
      next:
        wanted.length === 0
          ? 'Nothing differs. If something should, wait or advance first.'
          : 'Read an object with call read-object, and how it came about with read-journal.',
      rest: 'repeat diff with type and skip',
    };
  },
});

const close = tool({
  name: 'close',
  title: 'Close a world',
  description: 'Deletes your world with everything in it, or a world that you kept. An unused world ends without it, a kept one does not.',
  input: z.strictObject({ world: WorldOrKept }),
  run: async ({ world }, worlds) => {
    const { kind, name, client } = await placeOf(world, worlds);
    await (kind === 'snapshot'
      ? client.control('delete-snapshot', { params: { name } })
      : client.control('delete-rehearsal', { params: { name } }));
    return { facts: { closed: name }, next: 'open_world opens another.' };
  },
});

export const tools: readonly Tool[] = [openWorld, call, advance, breakWorld, mend, wait, explain, verify, diff, keep, close];
