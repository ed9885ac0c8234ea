import type { z } from 'zod';
import { GATEWAY } from '../../shared/catalog/applications.ts';
import type { Webhook, WebhookDelivery } from '../../shared/catalog/control/operations/webhooks.ts';
import { KEPT_DELIVERIES, MOST_WEBHOOKS, webhookTypes } from '../../shared/catalog/control/webhooks.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { invalid, notFound, Problem } from '../../shared/catalog/problems.ts';
import { validationFailed } from '../../shared/contract/validation.ts';
import { WEBHOOK_RETRY_MS } from '../../shared/control/webhook-sender.ts';
import { newWebhookSecret } from '../../shared/control/webhook-signature.ts';
import { randomToken } from '../../shared/domain/ids.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { instant } from '../../shared/domain/time.ts';
import { MalformedAddress, type Outbound, OutboundRefused } from '../../shared/http/outbound.ts';
import { dumpOf } from '../../shared/store/collections.ts';
import { dueKey } from '../../shared/store/ports/due-work.ts';
import type { Store, Worlds } from '../../shared/store/ports/estate-store.ts';
import { isSameRehearsal, type WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { WorldData } from '../../shared/store/ports/world-data.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { resetOrDeleted } from '../rehearsals/current.ts';
import { deliveries, deliverWebhook, keyOf, orderOf, placeOf, type StoredDelivery, type StoredWebhook, webhooks } from './stored.ts';
import { change, unitIn } from './unit.ts';
import { cancelWaiting, jobOf, scheduleAttempt } from './work.ts';

interface RegistrationsOptions {
  /** The gateway's store. */
  readonly store: Store;
  readonly worlds: Worlds;
  readonly outbound: Outbound;
}

interface WebhookInput {
  readonly url: string;
  readonly types: readonly string[];
  readonly timestamp: 'wall' | 'rehearsal';
}

type ShownWebhook = z.output<typeof Webhook>;
type ShownDelivery = z.output<typeof WebhookDelivery>;

/** Registers webhooks, and shows what was delivered to them. `work.ts` makes the deliveries. */
export function createRegistrations({ store, worlds, outbound }: RegistrationsOptions) {
  /**
   * Repeats a change in the new world when the rehearsal was reset: the reset may have copied the registrations before the change.
   * @throws Problem unknown_rehearsal when the rehearsal was deleted
   */
  async function changeKept<T>(view: WorldView, run: (unit: UnitOfWork, view: WorldView) => Promise<T>): Promise<T> {
    for (let current = view; ; ) {
      const { world } = current;
      const result = await change(store, current, { run: (unit) => run(unit, current) });
      const next = await worlds.resolve(view.rehearsal);
      if (next?.world === world) return result;
      if (!next || !isSameRehearsal(next.credentials, view.credentials)) throw resetOrDeleted();
      current = next;
    }
  }

  /** @throws Problem not_found */
  async function find(unit: UnitOfWork, name: string): Promise<StoredWebhook> {
    const found = (await unit.all(webhooks)).items.find((one) => one.name === name && one.state !== 'deleted');
    if (!found) throw notFound('webhook', name);
    return found;
  }

  async function describe(unit: UnitOfWork, webhook: StoredWebhook): Promise<ShownWebhook> {
    const { id, name, url, types, timestamp, state, createdAt, oldSecret, last, before } = webhook;
    const [waiting = 0] = await unit.count(deliveries, 'waiting', [id]);
    return {
      name,
      url,
      types,
      timestamp,
      state: state === 'disabled' ? 'disabled' : 'active',
      createdAt: instant(createdAt),
      oldSecretUntil: oldSecret && Date.now() < oldSecret.until ? instant(oldSecret.until) : undefined,
      deliveries: last - before,
      waiting,
    };
  }

  /** @throws Problem not_found */
  async function deliveryOf(unit: UnitOfWork, webhook: StoredWebhook, id: string): Promise<StoredDelivery> {
    const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
    const found = number > webhook.before ? await unit.get(deliveries, placeOf(webhook.id, number)) : undefined;
    if (found?.number !== number || found.registration !== webhook.registration) throw notFound('delivery', id);
    return found;
  }

  return {
    /** @returns the webhook, with its secret when it is new @throws Problem validation_failed, outbound_refused, too_many_webhooks */
    async put(view: WorldView, name: string, { url, types, timestamp }: WebhookInput): Promise<ShownWebhook & { secret?: string }> {
      checkTypes(types);
      const address = await allowed(outbound, url);
      const fresh = { secret: newWebhookSecret(), registration: randomToken(), createdAt: Date.now() };
      const kept = { name, url: address, types: types.map(nameOf), timestamp, state: 'active' } as const;
      return changeKept(view, async (unit, { world }) => {
        const all = (await unit.all(webhooks)).items;
        const before = all.find((one) => one.name === name && one.state !== 'deleted');
        const position = before?.state === 'active' ? before.position : (await worlds.eventsAbout(world, { by: 'named' }, 0, 1)).last;
        if (before) return describe(unit, unit.put(webhooks, { ...before, ...kept, position }));
        const free = all.find(({ state }) => state === 'deleted');
        if (!free && all.length >= MOST_WEBHOOKS)
          throw new Problem('too_many_webhooks', `A rehearsal has at most ${MOST_WEBHOOKS} webhooks; delete one to register "${name}".`);
        const last = free?.last ?? 0;
        const id = free?.id ?? String(all.length + 1);
        const webhook = unit.put(webhooks, { id, ...kept, ...fresh, position, last, before: last, isFull: false });
        return { ...(await describe(unit, webhook)), secret: webhook.secret };
      });
    },

    async list(view: WorldView): Promise<ShownWebhook[]> {
      const unit = unitIn(store, view);
      const all = (await unit.all(webhooks)).items.filter(({ state }) => state !== 'deleted');
      return Promise.all(all.toSorted((a, b) => a.createdAt - b.createdAt).map((webhook) => describe(unit, webhook)));
    },

    async read(view: WorldView, name: string): Promise<ShownWebhook> {
      const unit = unitIn(store, view);
      return describe(unit, await find(unit, name));
    },

    async remove(view: WorldView, name: string): Promise<void> {
      await changeKept(view, async (unit, { world }) => {
        const webhook = await find(unit, name);
        await cancelWaiting(unit, webhook);
        unit.put(webhooks, { ...webhook, state: 'deleted', secret: '', oldSecret: undefined, isFull: false });
        // Parked deliveries become due, find no registration, and end.
        const prefix = dueKey(GATEWAY, deliverWebhook.kind, `${name}/`);
        const { parked } = await worlds.ledger(world);
        const own = parked.filter(({ what, key }) => what === 'due' && key.startsWith(prefix));
        const due = own.map(({ key }) => ({ what: 'due', key }) as const);
        await worlds.redrive(world, due);
      });
    },

    /** @param keepMs wall time until the old secret ends */
    async rotate(view: WorldView, name: string, keepMs: number): Promise<ShownWebhook & { secret: string }> {
      const secret = newWebhookSecret();
      const until = Date.now() + keepMs;
      return changeKept(view, async (unit) => {
        const webhook = await find(unit, name);
        const oldSecret = keepMs > 0 ? { secret: webhook.secret, until } : undefined;
        return { ...(await describe(unit, unit.put(webhooks, { ...webhook, secret, oldSecret }))), secret };
      });
    },

    /** The deliveries of a webhook below a number, newest first. */
    async deliveries(view: WorldView, name: string, { before, limit }: { readonly before?: number; readonly limit: number }) {
      const unit = unitIn(store, view);
      const webhook = await find(unit, name);
      const newest = Math.min(webhook.last, (before ?? Number.POSITIVE_INFINITY) - 1);
      const oldest = Math.max(webhook.before + 1, webhook.last - KEPT_DELIVERIES + 1);
      const count = Math.max(0, Math.min(limit, newest - oldest + 1));
      const places = Array.from({ length: count }, (_, back) => placeOf(webhook.id, newest - back));
      const found = await Promise.all(places.map((place) => unit.get(deliveries, place)));
      const items = found.flatMap((one) => (one?.registration === webhook.registration ? [describeDelivery(one)] : []));
      return { items, next: newest - count >= oldest ? newest - count + 1 : undefined };
    },

    /**
     * The deliveries about an object that no receiver has accepted yet.
     * @param keys of withheld or parked due work: the index `inOrder` lacks its deliveries
     */
    async open(view: WorldView, subject: string, keys: readonly string[]): Promise<(ShownDelivery & { readonly webhook: string })[]> {
      const unit = unitIn(store, view);
      const registered = (await unit.all(webhooks)).items.filter(({ state }) => state === 'active');
      const found = await Promise.all(
        registered.map(async (webhook) => {
          const inOrder = (await unit.find(deliveries, 'inOrder', orderOf(webhook.id, subject))).items;
          const numbers = keys.flatMap((key) => (key.startsWith(`${webhook.name}/`) ? [Number(key.slice(webhook.name.length + 1))] : []));
          const apart = await Promise.all(numbers.map((number) => unit.get(deliveries, placeOf(webhook.id, number))));
          const about = apart.filter((one) => one?.event.subject === subject && one.registration === webhook.registration);
          const all = new Map([...inOrder, ...about].flatMap((one) => (one ? [[one.number, one] as const] : [])));
          return [...all.values()].map((one) => ({ ...describeDelivery(one), webhook: webhook.name }));
        }),
      );
      return found.flat();
    },

    /** Makes another attempt now. @throws Problem not_found, delivery_not_possible */
    async redeliver(view: WorldView, name: string, id: string): Promise<ShownDelivery> {
      const { world } = view;
      return change(store, view, {
        run: async (unit) => {
          const webhook = await find(unit, name);
          if (webhook.state !== 'active')
            throw new Problem('delivery_not_possible', `The receiver of "${name}" answered 410. Register the webhook again first.`);
          const delivery = await deliveryOf(unit, webhook, id);
          const { state, event, number, attempts } = delivery;
          await requireFirst(unit, delivery);
          const { correlationId } = event;
          const key = dueKey(GATEWAY, deliverWebhook.kind, keyOf(name, number));
          const [redriven] = state === 'parked' ? await worlds.redrive(world, [{ what: 'due', key }]) : [];
          const tries = state === 'waiting' ? Math.min(attempts.length, WEBHOOK_RETRY_MS.length) : WEBHOOK_RETRY_MS.length;
          const job = { ...jobOf(delivery), tries, again: state === 'delivered', held: delivery.isApart };
          if (!redriven) scheduleAttempt(unit, name, job, { at: unit.now, correlationId });
          return describeDelivery({ ...delivery, nextAttemptAt: unit.now, withheldBy: undefined });
        },
      });
    },

    /** What a reset keeps: the registrations, which begin with the first event of the new world. */
    async kept(view: WorldView): Promise<WorldData['applications']> {
      const all = (await unitIn(store, view).all(webhooks)).items.filter(({ state }) => state !== 'deleted');
      const rows = all.map((one) => ({ ...one, version: 1, position: 0, last: 0, before: 0, isFull: false }));
      return rows.length === 0 ? {} : { [GATEWAY]: dumpOf({ objects: [{ of: webhooks, rows }] }) };
    },
  };
}

export type Registrations = ReturnType<typeof createRegistrations>;

/** @throws Problem validation_failed naming each unknown event */
function checkTypes(types: readonly string[]): void {
  const errors = types.flatMap((type, place) => {
    if (webhookTypes.includes(nameOf(type))) return [];
    return [{ pointer: `/types/${place}`, code: 'unknown_event', detail: unknownWord('event', type, webhookTypes) }];
  });
  if (errors.length > 0) throw validationFailed(errors);
}

async function allowed(outbound: Outbound, url: string): Promise<string> {
  try {
    return (await outbound.check(url)).href;
  } catch (error) {
    if (error instanceof MalformedAddress) throw invalid('/url', 'invalid_address', `${error.message}.`);
    if (!(error instanceof OutboundRefused)) throw error;
    throw new Problem('outbound_refused', `${error.message}. The variable OUTBOUND_ALLOW of the gateway lists what it may call.`, {
      errors: [{ pointer: '/url', code: 'outbound_refused', detail: error.message }],
    });
  }
}

/** @throws Problem delivery_not_possible when an earlier delivery about the same object is not accepted yet */
async function requireFirst(unit: UnitOfWork, { state, isApart, webhook, number, event }: StoredDelivery): Promise<void> {
  if (state !== 'waiting' || isApart) return;
  const { items } = await unit.find(deliveries, 'inOrder', orderOf(webhook, event.subject));
  const first = Math.min(...items.map((one) => one.number));
  if (first < number)
    throw new Problem('delivery_not_possible', `Delivery ${first} is about ${event.subject}, too, and comes before delivery ${number}.`);
}

function describeDelivery({ number, event, state, attempts, nextAttemptAt, withheldBy }: StoredDelivery): ShownDelivery {
  const { hop: _hop, ...shown } = event;
  return {
    id: String(number),
    event: shown,
    state,
    attempts: attempts.map((one) => ({ ...one, at: instant(one.at), startedAt: instant(one.startedAt) })),
    nextAttemptAt: typeof nextAttemptAt === 'number' ? instant(nextAttemptAt) : undefined,
    withheldBy,
  };
}
