import { inspect, isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Invariant } from '../shared/catalog/control/operations/verification.ts';
import { Money } from '../shared/catalog/shapes.ts';
import { signWebhook } from '../shared/control/webhook-signature.ts';
import { moneyInWords } from '../shared/domain/money.ts';
import { unknownWord } from '../shared/domain/nearest-word.ts';
import { shortened } from '../shared/domain/text.ts';
import { nextTurn } from '../shared/process/waiting.ts';
import type { EventName, EventObject, OperationOutput } from './call-types.ts';
import type { EstateClient } from './estate-client.ts';
import type { EstateEvent } from './estate-event.ts';
import type { CallText, Method, Reply, StepReply } from './reply.ts';
import { ExpectationFailed, type PlainStep, type RepliesOf, type Scenario, type Stage, type Step, type StepRecord } from './scenario.ts';
import { requireArguments } from './stage-arguments.ts';

/** The topic of a note. */
export type NoteKind = 'operation' | 'fault' | 'clock' | 'calls' | 'carrier' | 'bank' | 'customer' | 'expectation';

/** Receives the progress of a run. */
export interface Report {
  begin(scenario: Scenario, rehearsal: string, world: string): void;
  step(record: StepRecord): void;
  note(text: string, kind: NoteKind): void;
  invariants(results: readonly z.output<typeof Invariant>[]): void;
  end(scenario: Scenario, failure: string | undefined): void;
}

/** Data of an external party. */
interface Outside {
  readonly webhookSecret: string;
  readonly webhookUrl: string;
  readonly now: string;
}

/** The most events of one answer of list-events. */
const MOST_LISTED = 1_000;

/** Begins the correlation id of each step. */
export const STAGE_CORRELATION = 'rehearse-';

/** The operations of a scenario on its rehearsal, and their reports. */
export function stageOf(client: EstateClient, report: Report, { webhookSecret, webhookUrl, now }: Outside): Stage {
  let steps = 0;
  let clock = Date.parse(now);

  async function send({ call, body, options }: PlainStep): Promise<{ reply: Reply; ms: number; correlationId: string }> {
    const [method, path] = call.split(' ') as [Method, string];
    const correlationId = `${STAGE_CORRELATION}${++steps}`;
    const started = performance.now();
    const reply = await client.call(method, path, body, {
      ...options,
      headers: { ...options?.headers, 'x-correlation-id': correlationId },
    });
    return { reply, ms: Math.round(performance.now() - started), correlationId };
  }

  /** All events of a type, oldest first. */
  async function allEvents(type: EventName) {
    const events: OperationOutput<'list-events'>['items'] = [];
    for (let after = 0; ; ) {
      const { items, next } = await client.control('list-events', { query: { type, ext: 'true', after, limit: MOST_LISTED } });
      events.push(...items);
      if (items.length < MOST_LISTED) return events;
      after = next;
    }
  }

  async function record(title: string, step: Step, sent: Awaited<ReturnType<typeof send>>): Promise<StepRecord> {
    await client.control('settle');
    clock = Date.parse((await client.control('read-clock')).now);
    const { items } = await client.control('list-events', { query: { correlationId: sent.correlationId, limit: MOST_LISTED } });
    const { items: hops } = await client.control('read-journal', { query: { correlationId: sent.correlationId } });
    const edge = hops.find(({ parentId }) => parentId === undefined);
    return {
      title,
      call: step.call,
      application: String(edge?.['application'] ?? 'gateway'),
      api: String(edge?.['api'] ?? ''),
      status: sent.reply.status,
      ms: sent.ms,
      events: items.map(({ event }) => String(event['type']).replace('com.unified-commerce.', '')),
      correlationId: sent.correlationId,
    };
  }

  return {
    async step<const Call extends CallText, const Status extends number = 200>(step: Step<Call, Status>) {
      const sent = await send(step);
      const done = await record(step.title, step, sent);
      report.step(done);
      const fits = step.status === undefined ? done.status < 300 : done.status === step.status;
      if (!fits) {
        const detail = sent.reply.ok ? '' : sent.reply.body.detail;
        throw new ExpectationFailed(`${step.title}: expected ${step.status ?? '2xx'}, got ${done.status}. ${detail}`);
      }
      if (step.events && !isDeepStrictEqual([...done.events].sort(), [...step.events].sort())) {
        throw new ExpectationFailed(
          `${step.title}: expected the events ${step.events.join(', ') || 'none'}, got ${done.events.join(', ') || 'none'}.`,
        );
      }
      // The checks above guarantee this type.
      return sent.reply as StepReply<Call, Status>;
    },
    async together<const Calls extends readonly PlainStep[]>(title: string, calls: Calls) {
      const sent = await Promise.all(calls.map((call) => send(call)));
      const counts = new Map<number, number>();
      for (const { reply } of sent) counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
      report.note(`${title}: ${[...counts].map(([status, count]) => `${count} × ${status}`).join(', ')}`, 'calls');
      return sent.map(({ reply }) => reply) as RepliesOf<Calls>;
    },
    expect(what, actual, expected) {
      if (!isDeepStrictEqual(actual, expected)) {
        const texts = [expected, actual].map(asJson);
        const [wanted, got] = texts[0] === texts[1] ? [expected, actual].map((value) => inspect(value)) : texts;
        throw new ExpectationFailed(
          `${what}: expected ${shortened(wanted ?? '', LONGEST_SHOWN)}, got ${shortened(got ?? '', LONGEST_SHOWN)}.`,
        );
      }
      report.note(`${what}: ${shortened(inWords(expected), LONGEST_SHOWN)}`, 'expectation');
    },
    async expectSequence(what, sequence, { strict = false } = {}) {
      const { mismatch } = await client.control('verify-sequence', { body: { sequence, strict } });
      if (mismatch) throw new ExpectationFailed(`${what}: ${mismatch.detail}`);
      report.note(`${what}: ${sequence.length} steps in order`, 'expectation');
    },
    async advance(by) {
      const { now, ran } = await client.control('advance-clock', { body: { by } });
      clock = Date.parse(now);
      report.note(`the clock advances by ${by}, to ${now}; ran ${ran.map(({ kind }) => kind).join(', ') || 'nothing'}`, 'clock');
    },
    async fault(name, rule) {
      await client.control('put-fault', { params: { name }, body: rule });
      report.note(`fault ${name}: ${rule.fault.kind} at ${rule.match.event ?? rule.match.api ?? rule.match.application}`, 'fault');
    },
    now: () => clock,
    async settle() {
      await client.control('settle');
    },
    async scan(id, scan) {
      const { state } = await client.control('play-scan', { params: { id, scan }, body: {} });
      await client.control('settle');
      report.note(`the carrier scans ${id}: ${scan}; it is ${state}`, 'carrier');
    },
    async dispute(id, body) {
      await client.control('open-dispute', { params: { id }, body });
      await client.control('settle');
      report.note(`the cardholder disputes ${id}: ${body.reason}`, 'bank');
    },
    async decideDispute(id, outcome) {
      await client.control('close-dispute', { params: { id }, body: { outcome } });
      await client.control('settle');
      report.note(`the bank decides the dispute of ${id}: ${outcome}`, 'bank');
    },
    async authenticate(id, outcome) {
      const { state } = await client.control('complete-payment-action-by-hand', { params: { id }, body: { outcome } });
      await client.control('settle');
      report.note(`the customer authenticates ${id}: ${outcome}; it is ${state}`, 'customer');
    },
    async webhook(title, { id, body, status, secret = webhookSecret }) {
      const json = JSON.stringify(body);
      const headers = { ...signWebhook(secret, { id, at: clock, body: json }), 'x-correlation-id': `${STAGE_CORRELATION}${++steps}` };
      const reply = await client.call('POST', webhookUrl, json, { as: 'none', headers });
      report.note(`${title}: ${reply.status}`, 'carrier');
      if (reply.status !== status) throw new ExpectationFailed(`${title}: expected ${status}, got ${reply.status}.`);
    },
    async noFaults(name) {
      await (name === undefined ? client.control('delete-faults') : client.control('delete-fault', { params: { name } }));
      report.note(name === undefined ? 'all faults are deleted' : `fault ${name} is deleted`, 'fault');
    },
    async event<const Name extends EventName>(name: Name, place?: number) {
      await client.control('settle');
      const items = await allEvents(name);
      const found = items.at(place ?? -1);
      if (!found) throw new ExpectationFailed(`${items.length} events ${name} have happened, so none is at place ${place ?? 0}.`);
      return (found.event as unknown as EstateEvent<Name>).data.object as EventObject<Name>;
    },
    async control(id, ...input) {
      const output = await client.control(id, ...input);
      await client.control('settle');
      report.note(`operation ${id}`, 'operation');
      return output;
    },
  };
}

/**
 * A stage that begins no step after the signal. Each later step fails in another turn of the event loop: a scenario that repeats failed
 * steps without an end would otherwise keep the process from ending.
 */
export function stoppable(stage: Stage, signal: AbortSignal | undefined): Stage {
  if (!signal) return stage;
  const refuse = (): Promise<never> => {
    const refused = nextTurn().then(() => {
      throw signal.reason;
    });
    // Nobody awaits a note.
    refused.catch(() => undefined);
    return refused;
  };
  return new Proxy(stage, {
    get(target, name, receiver) {
      const member = Reflect.get(target, name, receiver) as unknown;
      return signal.aborted && typeof member === 'function' ? refuse : member;
    },
  });
}

/** A stage that refuses wrong arguments and tracks unfinished operations. */
export function attended(stage: Stage): { readonly stage: Stage; readonly requireFinished: () => void } {
  const unfinished = new Map<Promise<unknown>, string>();

  function track(what: string, operation: Promise<unknown>): Promise<unknown> {
    const tracked = operation.finally(() => unfinished.delete(tracked));
    unfinished.set(tracked, what);
    return tracked;
  }

  const watched = new Proxy(stage, {
    get(target, name, receiver) {
      if (!isOperation(target, name)) return Reflect.get(target, name, receiver) as unknown;
      const operation = target[name] as (...given: readonly unknown[]) => unknown;
      return (...given: readonly unknown[]): unknown => {
        requireArguments(name, given);
        const result = operation(...given);
        return result instanceof Promise ? track(`stage.${name}(${titleIn(given)})`, result) : result;
      };
    },
  });
  return {
    stage: watched,
    /** @throws ExpectationFailed */
    requireFinished() {
      const [first] = unfinished.values();
      if (first === undefined) return;
      // Ignore later errors: the scenario has already failed.
      for (const operation of unfinished.keys()) operation.catch(() => undefined);
      throw new ExpectationFailed(`The scenario ended before ${first} did. Put await before that call.`);
    },
  };
}

/** @throws TypeError for an unknown operation, from callers without types */
function isOperation(stage: Stage, name: string | symbol): name is keyof Stage {
  if (Object.hasOwn(stage, name)) return true;
  // JavaScript reads these itself, for example in `await stage`.
  if (typeof name === 'symbol' || name === 'then' || name === 'toJSON' || name in Object.prototype) return false;
  throw new TypeError(unknownWord('operation of a stage', name, Object.keys(stage)));
}

/** The title or name that identifies a call. */
function titleIn([first]: readonly unknown[]): string {
  const title = typeof first === 'object' && first !== null && 'title' in first ? first.title : first;
  return typeof title === 'string' ? `“${title}”` : '';
}

/** A value as shown in the report: amounts in major units, undefined as `none`, a list without brackets. */
function inWords(value: unknown): string {
  if (value === undefined) return 'none';
  const money = Money.safeParse(value);
  if (money.success) return moneyInWords(money.data);
  if (Array.isArray(value) && value.length > 0) return value.map(inWords).join(', ');
  return typeof value === 'string' ? value : asJson(value);
}

/** Characters of a value in a failure or a note. */
const LONGEST_SHOWN = 2_000;

/** Some values of JavaScript have no JSON. */
function asJson(value: unknown): string {
  try {
    return String(JSON.stringify(value));
  } catch {
    return inspect(value);
  }
}
