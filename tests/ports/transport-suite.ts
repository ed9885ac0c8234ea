import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { z } from 'zod';
import type { Application } from '../../shared/catalog/applications.ts';
import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { defineInternalCall } from '../../shared/catalog/define.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Context } from '../../shared/control/context.ts';
import { recordOf } from '../../shared/control/journal.ts';
import type { World } from '../../shared/domain/world.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { type RunningApplication, startApplication } from '../../shared/runtime/application.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { type OutgoingCall, type Transport, timedOut } from '../../shared/transport/transport.ts';
import { type BoundApi, handle, type Scope } from '../../shared/work/handler.ts';
import { eventually } from '../support/eventually.ts';

/** How a transport reaches the application of the suite. */
export interface Reach {
  readonly running: () => RunningApplication | undefined;
  readonly token: string;
  readonly agent: Agent;
}

const NOWHERE = 'http://127.0.0.1:1';
const TOKEN = 'the-token-of-the-transport-suite';
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
  describe(`A call ${name}`, () => {
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
          ...{ application: 'clienteling-app', collections: [], counters: [], apis: {}, due: {}, events: {} },
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
      transport.send(call).then(
        (reply) => reply,
        (error: unknown) => (error instanceof Problem ? [error.code, error.context] : error),
      );

    beforeAll(async () => {
      world = await adapter.worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
      context = {
        ...{ world, now: 1_000, principal: 'client', requestId: 'req_1.1', parentId: 'req_1', correlationId: 'c-1', faults: 0 },
        ...{ deadline: Date.now() + 60_000, chain: ['oms'] },
      };
      running = await start();
      transport = transportTo({ running: () => running, token: TOKEN, agent });
    });
    afterAll(async () => {
      await running?.close();
      await agent.close();
    });

    test('arrives with its parameters, query, body and context, and its answer comes back as text', async () => {
      const reply = await transport.send(calling());
      expect(reply).toEqual({ status: 200, text: '{"ok":true}', retryAfter: undefined });
      expect(seen.at(-1)).toEqual({
        input: { params: { id: PARTY.id }, query: { lang: 'en IE' }, body: { note: PARTY.name } },
        context: JSON.parse(JSON.stringify(context)),
      });
    });

    test('shares no object with the application', async () => {
      await transport.send(calling());
      expect(seen.at(-1)?.context).not.toBe(context);
      expect(seen.at(-1)?.context.chain).not.toBe(context.chain);
    });

    test('with the same key takes effect once', async () => {
      let runs = 0;
      answering = async () => ({ run: ++runs });
      const call = calling({ idempotencyKey: 'key-1' });
      const [first, second] = [await transport.send(call), await transport.send(call)];
      expect([first.text, second.text, runs]).toEqual(['{"run":1}', '{"run":1}', 1]);
      const other = await transport.send({ ...call, body: JSON.stringify({ note: 'another' }) });
      expect([other.status, JSON.parse(other.text).code]).toEqual([422, 'idempotency_key_reused']);
    });

    test.each([
      ['of an unknown path', { path: '/internal/nothing' }, 404, 'not_found'],
      ['with an empty parameter', { path: '/internal/parties//notes' }, 404, 'not_found'],
      ['of another method', { method: 'PUT' as const }, 404, 'not_found'],
      ['with a body that is no JSON', { body: '{' }, 400, 'malformed_request'],
      ['with a body that misses a member', { body: '{}' }, 422, 'validation_failed'],
      ['with an unknown query', { path: '/internal/parties/1/notes?x=1' }, 422, 'validation_failed'],
    ])('%s is refused', async (_what, changed, status, code) => {
      const reply = await transport.send(calling(changed));
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([status, code]);
    });

    test('that is refused by the handler gets the problem and the time to wait', async () => {
      answering = async () => {
        throw new Problem('dependency_unavailable', 'wms cannot be reached.', { dependency: 'wms', retryAfter: 7 });
      };
      const reply = await transport.send(calling());
      expect([reply.status, reply.retryAfter, JSON.parse(reply.text)]).toMatchObject([
        503,
        '7',
        { code: 'dependency_unavailable', dependency: 'wms', instance: '/internal/parties/cus%201%2F%C3%A9/notes' },
      ]);
    });

    test('that an error ends is answered with an internal error', async () => {
      answering = async () => {
        throw new TypeError('unexpected');
      };
      const reply = await transport.send(calling());
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([500, 'internal_error']);
    });

    test('that takes too long times out, and the application learns that nobody waits', async () => {
      let hasLearned = false;
      answering = async ({ call }) => {
        const refusal = () => call(getCustomer, { params: { id: 'cus_1' } }).then(String, ({ name }: Error) => name);
        await eventually('a call of the handler is refused', async () => (await refusal()) === 'CallerLeft');
        hasLearned = true;
        return {};
      };
      expect(await problemOf(calling({ timeoutMs: 200 }))).toEqual(['dependency_timeout', timedOut('clienteling-app').context]);
      await eventually('the handler has ended', async () => hasLearned);
    });

    test('that a fault drops breaks off without an answer', async () => {
      answering = async () => ({ ok: true });
      await setFault({ kind: 'drop' });
      const count = seen.length;
      expect(await problemOf(calling())).toEqual(['dependency_error', { dependency: 'clienteling-app', undecided: true }]);
      expect(seen).toHaveLength(count);
    });

    test('whose answer a fault loses takes effect and breaks off', async () => {
      await setFault({ kind: 'lost-response', as: 'reset' });
      const count = seen.length;
      expect(await problemOf(calling())).toEqual(['dependency_error', { dependency: 'clienteling-app', undecided: true }]);
      expect(seen).toHaveLength(count + 1);
      await adapter.worlds.removeFault(world);
      context = { ...context, faults: 0 };
    });

    test('is on record with its caller, its bodies and its outcome', async () => {
      await transport.send(calling({ context: { ...context, requestId: 'req_9.1', correlationId: 'c-9' } }));
      const [hop] = (await journal('c-9')).slice(-1);
      expect(hop).toMatchObject({
        ...{ requestId: 'req_9.1', application: 'clienteling-app', api: 'describe-party', method: 'POST', status: 200 },
        path: '/internal/parties/cus%201%2F%C3%A9/notes?lang=en+IE',
        request: { note: PARTY.name },
        response: { ok: true },
      });
    });

    test('with another token, or without a context, is refused', async () => {
      const stranger = transportTo({ running: () => running, token: 'another', agent });
      const reply = await stranger.send(calling());
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([403, 'forbidden']);
    });

    test('that runs while the application stops is answered; later ones are unreachable until it listens again', async () => {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      answering = () => released.then(() => ({ ok: 'late' }));
      const count = seen.length;
      const waiting = transport.send(calling());
      await eventually('it has arrived', async () => seen.length > count);
      const closing = running?.close();
      await eventually('it is unreachable', async () => {
        const found = await problemOf(calling({ timeoutMs: 50 }));
        return Array.isArray(found) && found[0] === 'dependency_unavailable';
      });
      release();
      expect((await waiting).text).toBe('{"ok":"late"}');
      await closing;
      answering = async () => ({ ok: true });
      expect(await problemOf(calling())).toEqual(['dependency_unavailable', { dependency: 'clienteling-app', retryAfter: 1 }]);
      running = await start();
      expect((await transport.send(calling())).status).toBe(200);
    });

    test('breaks off when the application dies', async () => {
      answering = () => new Promise(() => {});
      const count = seen.length;
      const waiting = problemOf(calling());
      await eventually('it has arrived', async () => seen.length > count);
      running?.kill();
      expect(await waiting).toEqual(['dependency_error', { dependency: 'clienteling-app', undecided: true }]);
      expect(await problemOf(calling())).toEqual(['dependency_unavailable', { dependency: 'clienteling-app', retryAfter: 1 }]);
      running = undefined;
    });

    async function journal(correlationId?: string): Promise<Record<string, unknown>[]> {
      const { entries } = await adapter.worlds.journalOf(world, { correlationId });
      return entries.map((entry) => ({ ...recordOf(entry) }));
    }
  });
}

export const addressOf =
  ({ running }: Reach) =>
  (_application: Application): string =>
    running()?.url ?? NOWHERE;
