import { GATEWAY } from '../../shared/catalog/applications.ts';
import { KEPT_ATTEMPTS } from '../../shared/catalog/control/webhooks.ts';
import { EVERY_EVENT, EXTENSIONS, nameOf } from '../../shared/catalog/event-names.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { changedEvent, drawFrom } from '../../shared/contract/drift/drift.ts';
import { type ActiveChange, type ActiveFault, createFaults, isActiveChange } from '../../shared/control/faults.ts';
import { journalHop, WEBHOOK } from '../../shared/control/journal.ts';
import { WEBHOOK_RETRY_MS, webhookWithheldUntil } from '../../shared/control/webhook-sender.ts';
import { NEVER } from '../../shared/domain/time.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import type { Outbound } from '../../shared/http/outbound.ts';
import type { Logger } from '../../shared/process/logger.ts';
import { type DueItem, dueKey, TAKE_EVENTS } from '../../shared/store/ports/due-work.ts';
import type { ControlStore, Store } from '../../shared/store/ports/estate-store.ts';
import { type EventReader, jsonForClients, type StoredEvent } from '../../shared/store/ports/objects.ts';
import type { Fence } from '../../shared/store/ports/plan.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { jsonIn } from '../../shared/transport/answer.ts';
import { defineDueWork, parsePayload } from '../../shared/work/due-work.ts';
import { Conflict } from '../../shared/work/unit/interruptions.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import type { Failure, OwnWork } from '../clock/due-runner.ts';
import { type Sent, sendWebhook } from './attempt.ts';
import {
  type Attempt,
  type DeliveryJob,
  deliveries,
  deliverWebhook,
  keyOf,
  orderOf,
  placeOf,
  type StoredDelivery,
  type StoredWebhook,
  webhooks,
} from './stored.ts';
import { change, unitIn } from './unit.ts';

const takeEventsDue = defineDueWork(TAKE_EVENTS.kind);

/** Events that one commit turns into deliveries. */
const EVENTS_AT_ONCE = 100;

interface WebhookWorkOptions {
  /** The gateway's store. */
  readonly store: Store;
  readonly worlds: EventReader;
  readonly control: ControlStore;
  readonly outbound: Outbound;
  readonly log: Logger;
}

interface Leased {
  readonly fence: Fence;
  readonly requestId: string;
}

/**
 * The due work of registered webhooks. Events become deliveries as the bus orders them, each once, in the commit that moves the position of
 * the webhook. A delivery is one item of due work; a later delivery about the same object is scheduled by the commit that ends the earlier.
 */
export function createWebhookWork({ store, worlds, control, outbound, log }: WebhookWorkOptions): OwnWork {
  const faults = createFaults(control);

  /** Makes deliveries of all events that the webhooks have not considered. */
  async function takeEvents(view: WorldView, { fence }: Leased): Promise<undefined> {
    for (const { id } of (await unitIn(store, view).all(webhooks)).items) {
      while (await change(store, view, { run: (unit) => takeSome(view, unit, id) }));
    }
    await change(store, view, { run: async () => undefined, fence });
  }

  /** @returns whether there may be more */
  async function takeSome({ world }: WorldView, unit: UnitOfWork, id: string): Promise<boolean> {
    const webhook = await unit.get(webhooks, id);
    if (webhook?.state !== 'active') return false;
    const events = await worlds.events(world, webhook.position, EVENTS_AT_ONCE);
    const begun = new Set<string>();
    let { position, last } = webhook;
    let isFull = false;
    for (const stored of events) {
      const { order, json, hop } = stored;
      const event = JSON.parse(json) as EstateEvent;
      if (jsonForClients(stored) !== undefined && wants(webhook, nameOf(event.type))) {
        const place = placeOf(id, last + 1);
        isFull = (await unit.get(deliveries, place))?.state === 'waiting';
        if (isFull) break;
        last += 1;
        await addDelivery(unit, webhook, { place, number: last, event, order, hop, begun });
      }
      position = order;
    }
    if (position > webhook.position || isFull !== webhook.isFull) unit.put(webhooks, { ...webhook, position, last, isFull });
    return position > webhook.position;
  }

  async function deliver(view: WorldView, item: DueItem, leased: Leased): Promise<Failure | undefined> {
    const { fence } = leased;
    const job = parsePayload(deliverWebhook.kind, deliverWebhook.payload, item.payload);
    const webhook = await unitIn(store, view).get(webhooks, job.webhook);
    const [event] = (await worlds.events(view.world, job.order - 1, 1)).map((stored) => ({
      ...stored,
      json: jsonForClients(stored) ?? stored.json,
    }));
    if (!event || webhook?.state !== 'active' || webhook.registration !== job.registration) {
      await change(store, view, { run: async () => undefined, fence });
      return undefined;
    }
    const isFree = job.held || job.again;
    const overtaken = isFree ? [] : await overtakenBy(view, webhook, job);
    const target = { webhook: webhook.name, status: '' };
    const rules = { world: view.world, revision: view.faults };
    let body = event.json;
    const hasEffect = (rule: ActiveFault): boolean => {
      if (!isActiveChange(rule)) return true;
      const changed = changedDelivery(event, rule);
      body = changed ?? event.json;
      return changed !== undefined;
    };
    const options = { overtakes: overtaken.length > 0, struck: { webhookId: event.id }, hasEffect };
    const fault = isFree ? undefined : await faults.strikeFirst(rules, target, options);
    const until = webhookWithheldUntil(fault, view.now);
    if (fault && until !== undefined) {
      await change(store, view, { run: (unit) => withhold(unit, { job, item, fault, until }), fence });
      return undefined;
    }
    const { sent, attempt } = await attemptDelivery(view, {
      webhook,
      event,
      body: fault && isActiveChange(fault) ? body : event.json,
      fault,
      requestId: leased.requestId,
    });
    const isParked = !isAccepted(sent) && sent.status !== 410 && !job.again && WEBHOOK_RETRY_MS[job.tries] === undefined;
    await change(store, view, {
      run: async (unit) => {
        await record(unit, { job, item, sent, attempt, isParked });
        for (const late of overtaken) unit.schedule(deliverWebhook, late.key, unit.now, late.job, { correlationId: late.correlationId });
      },
      fence,
      isLast: !isParked,
    });
    if (!isParked) return undefined;
    return {
      text: `${webhook.url} did not accept the event in ${job.tries + 1} attempts; the last answer was ${answerOf(sent)}.`,
      isFinal: true,
    };
  }

  /** One attempt, with its hop in the journal. */
  async function attemptDelivery(
    { world, now }: WorldView,
    { webhook, event, body, fault, requestId }: Attempted,
  ): Promise<{ readonly sent: Sent; readonly attempt: Attempt }> {
    const { correlationid, traceparent } = JSON.parse(event.json) as EstateEvent;
    const [started, startedAt] = [performance.now(), Date.now()];
    const sent = await sendWebhook(outbound, webhook, { id: event.id, body, traceparent }, { now, fault: fault?.fault });
    const { status, answer, error } = sent;
    journalHop(
      { control, log },
      {
        ids: { requestId, parentId: event.hop, correlationId: correlationid },
        world,
        now,
        application: GATEWAY,
        api: `${WEBHOOK}${webhook.name}`,
        method: 'POST',
        path: webhook.url,
        status,
        started,
        faults: fault ? [fault.name] : [],
        ...recordedRequest(body),
        response: textAsJson(answer ?? error),
      },
    );
    const durationMs = Math.round((performance.now() - started) * 100) / 100;
    return { sent, attempt: { at: now, startedAt, durationMs, status, answer, error, requestId } };
  }

  /** Earlier deliveries about the same object that a fault withholds until this one is made. */
  async function overtakenBy(view: WorldView, { name }: StoredWebhook, job: DeliveryJob): Promise<readonly Overtaken[]> {
    const rules = await faults.rules({ world: view.world, revision: view.faults });
    const swapping = rules.filter(({ match, fault }) => match.webhook === name && fault.kind === 'reorder');
    if (swapping.length === 0) return [];
    const unit = unitIn(store, view);
    const subject = (await unit.get(deliveries, placeOf(job.webhook, job.number)))?.event.subject;
    const withheld = (await Promise.all(swapping.map((rule) => store.withheld(view.world, rule.name)))).flat();
    const found = await Promise.all(
      withheld.map(async ({ key, payload, correlationId }) => {
        const late = parsePayload(deliverWebhook.kind, deliverWebhook.payload, payload);
        const delivery = await unit.get(deliveries, placeOf(late.webhook, late.number));
        return delivery?.event.subject === subject ? [{ key, job: late, correlationId }] : [];
      }),
    );
    return found.flat();
  }

  return async (view, item, { lease, requestId }) => {
    const leased: Leased = { fence: { kind: 'due', key: dueKey(GATEWAY, item.kind, item.key), token: lease }, requestId };
    try {
      return await (item.kind === TAKE_EVENTS.kind ? takeEvents(view, leased) : deliver(view, item, leased));
    } catch (error) {
      // The item was cancelled or replaced, or its rehearsal was reset: the work belongs to another run.
      if (error instanceof Conflict && error.why !== 'version') return undefined;
      throw error;
    }
  };
}

interface Attempted {
  readonly webhook: StoredWebhook;
  readonly event: StoredEvent;
  /** What is sent. */
  readonly body: string;
  readonly fault: ActiveFault | undefined;
  readonly requestId: string;
}

interface Overtaken {
  readonly key: string;
  readonly job: DeliveryJob;
  readonly correlationId: string;
}

/** A body that is not JSON is recorded as text. */
function recordedRequest(body: string) {
  const request = jsonIn(body);
  return request === undefined ? { request: body } : { request, requestText: body };
}

/** The event with a change, for this webhook only. @returns undefined when the change does not apply to it */
function changedDelivery({ id, json }: StoredEvent, { name, seed = name, fault: { change } }: ActiveChange): string | undefined {
  const type = nameOf((JSON.parse(json) as EstateEvent).type);
  const definition = allEvents.find((event) => event.name === type);
  return definition && changedEvent(definition, json, change, drawFrom(`${seed}/${id}`));
}

const isAccepted = ({ status }: Sent): boolean => status >= 200 && status < 300;
const answerOf = ({ status, error }: Sent): string => (status === 0 ? `none (${error})` : String(status));

const wants = ({ types }: StoredWebhook, name: string): boolean =>
  types.some((type) => type === EVERY_EVENT || type === name || (type === EXTENSIONS && name.startsWith('ext.')));

interface NewDelivery {
  readonly place: string;
  readonly number: number;
  readonly event: EstateEvent;
  readonly order: number;
  readonly hop: string | undefined;
  /** Orders that this unit has begun or found. */
  readonly begun: Set<string>;
}

/** Adds a delivery. It is due now, unless an earlier one about the same object is not accepted yet. */
async function addDelivery(
  unit: UnitOfWork,
  webhook: StoredWebhook,
  { place, number, event, order, hop, begun }: NewDelivery,
): Promise<void> {
  const { id, type, subject, correlationid: correlationId } = event;
  const inOrder = orderOf(webhook.id, subject);
  const [ahead] = begun.has(inOrder) ? [] : (await unit.find(deliveries, 'inOrder', inOrder, { limit: 1 })).items;
  // A concurrent end of the delivery ahead must see this one, or this commit must see its end.
  if (ahead) unit.expect(deliveries, ahead);
  const isFirst = !ahead && !begun.has(inOrder);
  begun.add(inOrder);
  const delivery = unit.put(deliveries, {
    id: place,
    webhook: webhook.id,
    registration: webhook.registration,
    number,
    event: { id, type: nameOf(type), subject, order, correlationId, hop },
    state: 'waiting',
    isApart: false,
    attempts: [],
    nextAttemptAt: isFirst ? unit.now : undefined,
  });
  if (isFirst) scheduleAttempt(unit, webhook.name, jobOf(delivery), { at: unit.now, correlationId });
}

export const jobOf = ({ webhook, registration, number, event }: StoredDelivery): DeliveryJob => ({
  webhook,
  registration,
  number,
  order: event.order,
  tries: 0,
});

export const scheduleAttempt = (
  unit: UnitOfWork,
  name: string,
  job: DeliveryJob,
  { at, correlationId }: { readonly at: number; readonly correlationId: string },
): void => unit.schedule(deliverWebhook, keyOf(name, job.number), at, job, { correlationId });

/** The kept delivery of a job. Undefined after a thousand later ones took its place. */
async function deliveryOf(unit: UnitOfWork, { webhook, number }: DeliveryJob): Promise<StoredDelivery | undefined> {
  const found = await unit.get(deliveries, placeOf(webhook, number));
  return found?.number === number ? found : undefined;
}

/** A fault takes the delivery out of the order of its object: the next one is made without it. */
async function withhold(
  unit: UnitOfWork,
  { job, item, fault, until }: { readonly job: DeliveryJob; readonly item: DueItem; readonly fault: ActiveFault; readonly until: number },
): Promise<void> {
  const delivery = await deliveryOf(unit, job);
  if (delivery) {
    await scheduleNext(unit, delivery);
    const nextAttemptAt = until < NEVER ? until : undefined;
    unit.put(deliveries, { ...delivery, isApart: true, withheldBy: fault.name, nextAttemptAt });
  }
  const options = { withheldBy: fault.name, correlationId: item.correlationId };
  unit.schedule(deliverWebhook, item.key, until, { ...job, held: true }, options);
}

interface Outcome {
  readonly job: DeliveryJob;
  readonly item: DueItem;
  readonly sent: Sent;
  readonly attempt: Attempt;
  readonly isParked: boolean;
}

async function record(unit: UnitOfWork, { job, item, sent, attempt, isParked }: Outcome): Promise<void> {
  const delivery = await deliveryOf(unit, job);
  if (sent.status === 410) return disable(unit, job, attempt);
  const at = unit.now + Math.max(WEBHOOK_RETRY_MS[job.tries] ?? 0, (sent.retryAfterSeconds ?? 0) * 1_000);
  const isRetried = !isAccepted(sent) && !isParked && !job.again;
  if (isRetried) unit.schedule(deliverWebhook, item.key, at, { ...job, tries: job.tries + 1 }, { correlationId: item.correlationId });
  if (!delivery) return;
  const attempts = [...delivery.attempts, attempt].slice(-KEPT_ATTEMPTS);
  if (job.again) {
    unit.put(deliveries, { ...delivery, attempts });
    return;
  }
  if (!isRetried) await scheduleNext(unit, delivery);
  const state = isRetried ? 'waiting' : isParked ? 'parked' : 'delivered';
  unit.put(deliveries, { ...delivery, state, attempts, nextAttemptAt: isRetried ? at : undefined, withheldBy: undefined });
}

/** The delivery ends its wait: the next one about the same object is due, and events that wait for a place are taken. */
async function scheduleNext(unit: UnitOfWork, delivery: StoredDelivery): Promise<void> {
  const webhook = await unit.get(webhooks, delivery.webhook);
  if (!webhook) return;
  if (webhook.isFull) unit.schedule(takeEventsDue, TAKE_EVENTS.key, unit.now, null);
  if (delivery.state !== 'waiting' || delivery.isApart) return;
  const { items } = await unit.find(deliveries, 'inOrder', orderOf(delivery.webhook, delivery.event.subject));
  const [next] = items.filter(({ number }) => number !== delivery.number).toSorted((a, b) => a.number - b.number);
  // If no delivery follows, a concurrent commit must not add one that waits for this one.
  if (!next) {
    unit.expect(webhooks, webhook);
    return;
  }
  unit.put(deliveries, { ...next, nextAttemptAt: unit.now });
  scheduleAttempt(unit, webhook.name, jobOf(next), { at: unit.now, correlationId: next.event.correlationId });
}

/** The receiver answered 410: it wants no more events. Everything that waits for it is cancelled. */
async function disable(unit: UnitOfWork, job: DeliveryJob, attempt: Attempt): Promise<void> {
  const webhook = await unit.get(webhooks, job.webhook);
  if (!webhook) return;
  unit.put(webhooks, { ...webhook, state: 'disabled', isFull: false });
  await cancelWaiting(unit, webhook);
  const delivery = await deliveryOf(unit, job);
  if (delivery) unit.put(deliveries, { ...delivery, attempts: [...delivery.attempts, attempt].slice(-KEPT_ATTEMPTS) });
}

export async function cancelWaiting(unit: UnitOfWork, webhook: StoredWebhook): Promise<void> {
  const { items } = await unit.find(deliveries, 'waiting', webhook.id);
  for (const delivery of items) {
    unit.put(deliveries, { ...delivery, state: 'cancelled', nextAttemptAt: undefined, withheldBy: undefined });
    unit.cancel(deliverWebhook, keyOf(webhook.name, delivery.number));
  }
}

/** What a receiver answers may be cut, or be JSON that no file can have. So it is recorded as a text. */
const textAsJson = (text: string | undefined): string | undefined => (text === undefined ? undefined : JSON.stringify(text));
