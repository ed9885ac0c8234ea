import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { z } from 'zod';
import type { Application } from '../../shared/catalog/applications.ts';
import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { defineInternalCall } from '../../shared/catalog/define.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Context } from '../../shared/control/context.ts';
import type { World } from '../../shared/domain/world.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { type RunningApplication, startApplication } from '../../shared/runtime/application.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { type OutgoingCall, type Transport, timedOut } from '../../shared/transport/transport.ts';
import { type BoundApi, handle, type Scope } from '../../shared/work/handler.ts';
import { eventually } from '../support/eventually.ts';

/** The transport under test, with access to the application of the suite. */
export interface Reach {
  readonly running: () => RunningApplication | undefined;
  readonly token: string;
  readonly agent: Agent;
}

const NOWHERE = 'http://127.0.0.1:1';
const TOKEN = 'the-token-of-the-transport-suite';
const BROKEN_OFF = ['dependency_error', { dependency: 'clienteling-app', undecided: true }];
const UNREACHABLE = ['dependency_unavailable', { dependency: 'clienteling-app', retryAfter: 1 }];
const NO_HANDLERS = { collections: [], counters: [], apis: {}, due: {}, events: {} };
const PARTY = { id: 'cus 1/é', name: 'Zoë 👩🏽‍🚒 \u2028' };

const Body = z.strictObject({ note: z.string() });
const describeParty = defineInternalCall({
  id: 'describe-party',
  name: 'Describe party',
  summary: 'Answers with what arrived.',
  domain: 'customer',
  type: 'command',
  application: 'clienteling-app',
  method: 'POST',
  path: '/internal/parties/{id}/notes',
  query: z.strictObject({ lang: z.string().optional() }),
  request: Body,
  response: z.record(z.string(), z.unknown()),
  callers: ['oms'],
});

/** The conformance suite of the adapters that carry calls between applications. */
export function transportSuite(name: string, transportTo: (reach: Reach) => Transport): void {
  describe(`transport: calls ${name}`, () => {
    const adapter = createMemoryStore();
    const agent = new Agent();
    const seen: { input: unknown; context: Context }[] = [];
    let answering: (scope: Scope) => Promise<Record<string, unknown>> = async () => ({ ok: true });
    let running: RunningApplication | undefined;
    let transport: Transport;
    let context: Context;
    let world: World;

    async function start(): Promise<RunningApplication> {
      const handler = async (input: unknown, scope: Scope) => {
        seen.push({ input, context: scope.context });
        return answering(scope);
      };
      const bound: readonly BoundApi<string>[] = [handle(describeParty)(handler)];
      return startApplication({
        service: {
          ...NO_HANDLERS,
          application: 'clienteling-app',
          internal: Object.fromEntries(bound.map((one) => [one.id, one])),
        },
        adapter,
        bus: createMemoryBus(),
        transport: createHttpTransport({ addressOf: () => NOWHERE, token: TOKEN, agent }),
        token: TOKEN,
        agent,
        log: createLogger('silent'),
        host: '127.0.0.1',
        port: 0,
        strictResponses: true,
      });
    }

    const calling = (changed: Partial<OutgoingCall> = {}): OutgoingCall => ({
      application: 'clienteling-app',
      method: 'POST',
      path: `/internal/parties/${encodeURIComponent(PARTY.id)}/notes?lang=en+IE`,
      context,
      idempotencyKey: undefined,
      body: JSON.stringify({ note: PARTY.name }),
      timeoutMs: 5_000,
      ...changed,
    });
    const setFault = async (fault: FaultInput['fault']): Promise<void> => {
      const { revision } = await adapter.control.faults(world);
      await adapter.worlds.setFault(world, 'f', JSON.stringify({ match: { application: 'clienteling-app' }, fault }));
      context = { ...context, faults: revision + 1 };
    };
    const problemOf = async (call: OutgoingCall): Promise<unknown> =>
      transport.send(call).catch((error: unknown) => (error instanceof Problem ? [error.code, error.context] : error));
    /** Sends a call. @returns the status and the problem code of its reply */
    const refusal = async (call: OutgoingCall, by = transport): Promise<unknown> => {
      const { status, text } = await by.send(call);
      return [status, JSON.parse(text).code];
    };
    /** Makes the handler wait. @returns what lets it reply */
    const blocked = (): (() => void) => {
      const released = Promise.withResolvers<void>();
      answering = () => released.promise.then(() => ({ ok: 'late' }));
      return released.resolve;
    };
    /** Sends a call, and waits until the handler has received it. */
    async function received<T>(sending: () => Promise<T>): Promise<{ reply: Promise<T> }> {
      const count = seen.length;
      const reply = sending();
      await eventually('the call is received', async () => seen.length > count);
      return { reply };
    }

    beforeAll(async () => {
      world = await adapter.worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
      const ids = { requestId: 'req_1.1', parentId: 'req_1', correlationId: 'c-1' };
      context = { ...ids, world, now: 1_000, principal: 'client', faults: 0, deadline: Date.now() + 60_000, chain: ['oms'] };
      running = await start();
      transport = transportTo({ running: () => running, token: TOKEN, agent });
    });
    afterAll(async () => {
      await running?.close();
      await agent.close();
    });

    test('A call has copies of its parameters, query, body and context, and its answer is text', async () => {
      const reply = await transport.send(calling());
      expect(reply).toEqual({ status: 200, text: '{"ok":true}', retryAfter: undefined });
      const arrived = seen.at(-1);
      expect(arrived).toEqual({
        input: { params: { id: PARTY.id }, query: { lang: 'en IE' }, body: { note: PARTY.name } },
        context: JSON.parse(JSON.stringify(context)),
      });
      expect(arrived?.context).not.toBe(context);
      expect(arrived?.context.chain).not.toBe(context.chain);
    });

    test('A call with the same key takes effect once', async () => {
      let runs = 0;
      answering = async () => ({ run: ++runs });
      const call = calling({ idempotencyKey: 'key-1' });
      const [first, second] = [await transport.send(call), await transport.send(call)];
      expect([first.text, second.text, runs]).toEqual(['{"run":1}', '{"run":1}', 1]);
      expect(await refusal({ ...call, body: JSON.stringify({ note: 'another' }) })).toEqual([422, 'idempotency_key_reused']);
    });

    test.each([
      ['of an unknown path', { path: '/internal/nothing' }, 404, 'not_found'],
      ['with an empty parameter', { path: '/internal/parties//notes' }, 404, 'not_found'],
      ['of another method', { method: 'PUT' as const }, 404, 'not_found'],
      ['with a body that is not JSON', { body: '{' }, 400, 'malformed_request'],
      ['with a body that misses a member', { body: '{}' }, 422, 'validation_failed'],
      ['with an unknown query', { path: '/internal/parties/1/notes?x=1' }, 422, 'validation_failed'],
    ])('a call %s is refused', async (_what, changed, status, code) => {
      expect(await refusal(calling(changed))).toEqual([status, code]);
    });

    test('A call with another token is refused', async () => {
      const stranger = transportTo({ running: () => running, token: 'another', agent });
      expect(await refusal(calling(), stranger)).toEqual([403, 'forbidden']);
    });

    test('A call that the handler refuses gets the problem and the time to wait', async () => {
      answering = async () => {
        throw new Problem('dependency_unavailable', 'wms cannot be reached.', { dependency: 'wms', retryAfter: 7 });
      };
      const { status, retryAfter, text } = await transport.send(calling());
      expect([status, retryAfter]).toEqual([503, '7']);
      const instance = '/internal/parties/cus%201%2F%C3%A9/notes';
      expect(JSON.parse(text)).toMatchObject({ code: 'dependency_unavailable', dependency: 'wms', instance });
    });

    test('A call that takes too long times out, and calls of its handler are refused from then on', async () => {
      let isOver = false;
      answering = async ({ call }) => {
        const refused = () => call(getCustomer, { params: { id: 'cus_1' } }).then(String, ({ name: error }: Error) => error);
        await eventually('a call of the handler is refused', async () => (await refused()) === 'CallerLeft');
        isOver = true;
        return {};
      };
      expect(await problemOf(calling({ timeoutMs: 200 }))).toEqual(['dependency_timeout', timedOut('clienteling-app').context]);
      await eventually('the handler has ended', async () => isOver);
    });

    test.each([
      ['a call that a fault drops breaks off without an effect', { kind: 'drop' }, 0],
      ['a call whose answer a fault loses takes effect and breaks off', { kind: 'lost-response', as: 'reset' }, 1],
      ['a call whose answer a fault breaks off takes effect and breaks off', { kind: 'lost-response', as: 'half' }, 1],
    ] as const)('%s', async (_title, fault, effects) => {
      answering = async () => ({ ok: true });
      await setFault(fault);
      const count = seen.length;
      expect(await problemOf(calling())).toEqual(BROKEN_OFF);
      expect(seen).toHaveLength(count + effects);
      await adapter.worlds.removeFault(world);
      context = { ...context, faults: 0 };
    });

    test('A call that runs while the application stops is answered; later calls cannot reach it until it listens again', async () => {
      const release = blocked();
      const { reply } = await received(() => transport.send(calling()));
      const closing = running?.close();
      await eventually('it is unreachable', async () => {
        const found = await problemOf(calling({ timeoutMs: 50 }));
        return Array.isArray(found) && found[0] === UNREACHABLE[0];
      });
      release();
      expect((await reply).text).toBe('{"ok":"late"}');
      await closing;
      answering = async () => ({ ok: true });
      expect(await problemOf(calling())).toEqual(UNREACHABLE);
      running = await start();
      expect((await transport.send(calling())).status).toBe(200);
    });

    test('A call breaks off when the application dies', async () => {
      blocked();
      const { reply } = await received(() => problemOf(calling()));
      running?.kill();
      expect(await reply).toEqual(BROKEN_OFF);
      expect(await problemOf(calling())).toEqual(UNREACHABLE);
      running = undefined;
    });
  });
}

export const addressOf =
  ({ running }: Reach) =>
  (_application: Application): string =>
    running()?.url ?? NOWHERE;
