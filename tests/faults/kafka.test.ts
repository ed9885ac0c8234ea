import { afterAll, expect } from '@jest/globals';
import type { Sections } from '../../rehearsal/estate-client.ts';
import type { ApiId } from '../../shared/catalog/apis.ts';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { type CollectedRecord, collectEvents } from '../containers/event-collector.ts';
import { type Broker, plainClient, recordsOn, skipWithoutDocker, startBroker, whyNoDocker } from '../containers/kafka.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { changeUnits, collectDamaged, importOrder } from '../support/steps/journeys.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { describeEstate, type EstateOfProcesses, PATIENCE_MS, type Rehearsed, SHOP, times } from './processes.ts';

/** Number of orders placed while Kafka is missing; fewer on a busy machine. */
const ORDERS = Number(process.env['FAULTS_ORDERS'] ?? 500);
const BUYERS = 20;
const STOPPED_MS = 30_000;
const ADA = 'cus_ada';
const ORDER_TOPIC = 'uc.order.events';
const MINUTE = 60_000;
/** The POS consumes payments, but does not run here. */
const OWED_TO_ABSENT = /^pending pos\|/;
const BASKET = { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] };
/** The second and the third of fifty orders; the first is collected in a store. */
const JOURNEYS: Readonly<Record<number, (rehearsal: Rehearsed) => Promise<string>>> = { 1: importOrder, 2: changeUnits };
const IN_STORE = { collection: { locationId: 'store-01' } };
const port = await freePort();
const options = {
  services: { ...SHOP, fms: 1, wms: 1, 'carrier-platform': 1, 'promotion-engine': 1, 'loyalty-platform': 1 },
  kafka: `127.0.0.1:${port}`,
} as const;

if (whyNoDocker !== undefined) skipWithoutDocker('processes on a Kafka that comes and goes');
else describeEstate('Events between processes that restart, on a Kafka that restarts', options, kafka);

function kafka(estate: EstateOfProcesses, row: (title: string, body: () => Promise<void>) => void): void {
  let broker: Broker | undefined;
  afterAll(() => broker?.stop());

  const allReady = async (): Promise<boolean> =>
    (await Promise.all(estate.all().map((one) => one.readyz()))).every(({ status }) => status === 200);

  /** Kafka is missing until the first row has ended. */
  async function withKafka(): Promise<Broker> {
    broker ??= await startBroker(port);
    await eventually('every process is ready', allReady, 2 * PATIENCE_MS);
    return broker;
  }

  /** Asserts that all events are sent, the running applications have consumed them, and every invariant holds. */
  async function atRest({ control }: Rehearsed): Promise<void> {
    const isSettled = async () => {
      const { settled, waitingFor } = await control('settle', { body: { timeoutMs: 500 } });
      return settled || waitingFor.every((what) => OWED_TO_ABSENT.test(what));
    };
    await eventually('it comes to rest', isSettled, 2 * PATIENCE_MS);
    const { invariants } = await control('verify');
    expect(invariants.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`))).toEqual([]);
  }

  /** Records on the topics of a rehearsal, as read by a plain client. */
  async function onTopics({ name }: Rehearsed): Promise<readonly CollectedRecord[]> {
    const collector = await collectEvents([`127.0.0.1:${port}`]);
    return collector.of(name).finally(() => collector.stop());
  }
  /** Each event once, at its first position, as a de-duplicating consumer sees it. */
  const distinct = (records: readonly CollectedRecord[]) =>
    [...Map.groupBy(records, ({ event }) => event.id).values()].flatMap(([first]) => first?.event ?? []);
  const copies = (records: readonly CollectedRecord[], type: string): string[] =>
    records.filter(({ event }) => event.type.endsWith(`.${type}`)).map(({ event }) => event.id);
  const subjectsOf = (records: readonly CollectedRecord[], type: string): string[] =>
    distinct(records).flatMap((event) => (event.type.endsWith(`.${type}`) ? [event.subject] : []));
  function expectContiguous(records: readonly CollectedRecord[]): void {
    for (const [subject, events] of Map.groupBy(distinct(records), ({ subject: of }) => of as string)) {
      // One version can have two events: a new reservation has an event of its life cycle, and one about the stock.
      const versions = [...new Set(events.map(({ aggregateversion }) => aggregateversion as number))];
      const [first = 1] = versions;
      expect([subject, versions]).toEqual([subject, versions.map((_, n) => first + n)]);
    }
  }
  const activities = async (rehearsal: Rehearsed): Promise<number> => (await rehearsal.object('customer', ADA)).version;

  /** A settled rehearsal with an order that can be confirmed, and the number of earlier activations of its customer. */
  async function paidOrder() {
    const rehearsal = await estate.rehearse();
    const { id: orderId } = await rehearsal.authorised();
    await atRest(rehearsal);
    return { rehearsal, orderId, before: await activities(rehearsal), confirm: { params: { id: orderId } } };
  }

  // If a request waits for the relay, it is 504.
  row(`row 1: Kafka is missing while ${ORDERS} orders are placed, and starts then: all are 2xx, and every event arrives once`, async () => {
    const rehearsal = await estate.rehearse();
    const places: string[] = [];
    const statuses = new Set<number>();
    const call = async (id: ApiId, input: Sections) => {
      const reply = await rehearsal.call(id, input);
      statuses.add(reply.status);
      return reply.body;
    };
    await Promise.all(
      times(BUYERS, async () => {
        while (places.length < ORDERS) {
          const place = places.push('') - 1;
          const journey = JOURNEYS[place % 50];
          if (journey) {
            places[place] = await journey(rehearsal);
            continue;
          }
          const { id } = await call('create-basket-api', { body: BASKET });
          await call('checkout-basket-api', { params: { id }, body: place % 50 === 0 ? IN_STORE : { shippingAddress: ADDRESS } });
          places[place] = (await call('create-order-api', { body: { basketId: id } })).id;
        }
      }),
    );
    expect([...statuses].filter((status) => status >= 300)).toEqual([]);
    expect((await estate.one('oms').readyz()).body.waitingFor).toContainEqual(expect.stringMatching(/^kafka: /));
    await withKafka();
    await atRest(rehearsal);
    const records = await onTopics(rehearsal);
    expect(subjectsOf(records, 'order-created').toSorted()).toEqual(places.map((id) => `order/${id}`).toSorted());
    expectContiguous(records);
  });

  // If a request waits for the relay, only three requests are answered in the 30 s.
  row(
    'row 2: Kafka is stopped for 30 s under steady load and a replacement: nothing is lost, requests do not wait for it, and the relay resumes',
    async () => {
      const stopped = await withKafka();
      const rehearsal = await estate.rehearse();
      const { orderId, replace } = await collectDamaged(rehearsal, PATIENCE_MS);
      const took = { before: [] as number[], during: [] as number[] };
      let phase: keyof typeof took = 'before';
      let going = true;
      const { basketId } = await rehearsal.order(orderId);
      const baskets: string[] = [basketId];
      const buying = times(3, async () => {
        while (going) {
          const [at, began] = [phase, performance.now()];
          const reply = await rehearsal.call('create-basket-api', { body: BASKET });
          took[at].push(performance.now() - began);
          expect(reply.status).toBe(201);
          baskets.push(reply.body.id);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      });
      await eventually('the usual time of a request is measured', async () => took.before.length >= 60, PATIENCE_MS);
      await stopped.pause();
      phase = 'during';
      await replace();
      await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
      expect(took.during.length).toBeGreaterThan(20);
      await stopped.unpause();
      going = false;
      await Promise.all(buying);
      const median = (all: readonly number[]): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0;
      expect(median(took.during)).toBeLessThan(2 * median(took.before) + 100);
      await atRest(rehearsal);
      const records = await onTopics(rehearsal);
      expect(new Set(subjectsOf(records, 'basket-created'))).toEqual(new Set(baskets.map((id) => `basket/${id}`)));
      expect(subjectsOf(records, 'ext.replacement-created')).toEqual([`order/${orderId}`]);
      expectContiguous(records);
      await withKafka();
    },
  );

  /** An acknowledgement of the relay, for an event of a type whose commit passed. */
  function acknowledging(type: string): (sent: string) => boolean {
    let id: string | undefined;
    return (sent) => {
      const at = sent.includes(scripts.commit.sha) ? sent.indexOf(`.${type}`) : -1;
      if (at >= 0) id = (sent.slice(0, at).match(/evt_\w+/g) ?? []).at(-1);
      return id !== undefined && sent.includes(scripts.drain.sha) && sent.includes(id);
    };
  }

  // If a commit does not consume its delivery, and without the CRM's own list of orders, the customer becomes active twice.
  row('row 4: the relay is killed after the ack of Kafka: the event is on the topic twice, and has its effect once', async () => {
    await withKafka();
    const { rehearsal, before, confirm } = await paidOrder();
    const struck = estate.strike('oms', { lose: 'request', when: acknowledging('order-confirmed'), by: 'silence' });
    const confirming = rehearsal.api('confirm-order-api', confirm);
    const relay = await struck;
    relay.signal('SIGKILL');
    await relay.ended;
    await estate.start('oms');
    await confirming;
    await atRest(rehearsal);
    const ids = copies(await onTopics(rehearsal), 'order-confirmed');
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(1);
    expect(await activities(rehearsal)).toBe(before + 1);
  });

  // Without the expiry of a lease after 10 s, no process takes over, and the work never completes.
  row('row 5: the relay with the lease is frozen until its lease expires: another relay takes over, and events stay in order', async () => {
    await withKafka();
    await estate.start('oms');
    const { rehearsal, orderId, confirm } = await paidOrder();
    const struck = estate.strike('oms', { lose: 'request', when: acknowledging('order-confirmed'), by: 'silence' });
    const confirming = rehearsal.api('confirm-order-api', confirm);
    const frozen = await struck;
    frozen.signal('SIGSTOP');
    estate.way('oms').lead(estate.of('oms').flatMap((one) => (one === frozen ? [] : [one.port])));
    estate.way('oms').breakOff();
    await confirming;
    await rehearsal.api('cancel-order-api', confirm);
    await atRest(rehearsal);
    // The acknowledgement of the frozen relay arrives after its lease has expired.
    frozen.signal('SIGCONT');
    estate.wayToRedis(frozen).clear();
    estate.way('oms').lead(estate.of('oms').map((one) => one.port));
    const other = await rehearsal.confirmed();
    await atRest(rehearsal);
    const records = await onTopics(rehearsal);
    expect(copies(records, 'order-confirmed').length).toBeGreaterThan(2);
    expect(new Set(subjectsOf(records, 'order-confirmed'))).toEqual(new Set([`order/${orderId}`, `order/${other.id}`]));
    expectContiguous(records);
    frozen.signal('SIGTERM');
    expect(await frozen.ended).toBe(0);
  });

  // Without the check for consumed deliveries and the CRM's own list of orders, the customer becomes active once more.
  row('row 13: a consumer is killed in the middle of a batch: each event has its effect once', async () => {
    await withKafka();
    const rehearsal = await estate.rehearse();
    const orders = await Promise.all(times(3, () => rehearsal.authorised()));
    await atRest(rehearsal);
    const before = await activities(rehearsal);
    const struck = estate.strike('crm', {
      lose: 'answer',
      when: (sent) => sent.includes(scripts.commit.sha) && sent.includes('"kind":"delivery"'),
      by: 'silence',
    });
    const confirming = Promise.all(orders.map(({ id }) => rehearsal.confirmed(id)));
    const consumer = await struck;
    consumer.signal('SIGKILL');
    await consumer.ended;
    // An order that is not confirmed yet may need the CRM.
    await estate.start('crm');
    await confirming;
    await atRest(rehearsal);
    expect(await activities(rehearsal)).toBe(before + orders.length);
  });

  // Without a limit of attempts, events behind the poison event are never consumed.
  row('row 13: a poison message is retried and parked, and its partition continues', async () => {
    await withKafka();
    const { rehearsal, orderId, before } = await paidOrder();
    const { name, world } = rehearsal;
    const id = `evt_poison_${name}`;
    const [sample] = distinct(await onTopics(rehearsal)).filter(({ type }) => type.endsWith('.order-created'));
    const type = sample.type.replace('order-created', 'order-confirmed');
    const value = JSON.stringify({ ...sample, id, type, data: { ...sample.data, object: 'poison' } });
    const producer = plainClient([`127.0.0.1:${port}`]).producer();
    await producer.connect();
    const headers = { id, world, rehearsal: name, 'content-type': 'application/cloudevents+json' };
    await producer.send({ topic: ORDER_TOPIC, messages: [{ key: orderId, value, headers }] });
    await producer.disconnect();
    await rehearsal.confirmed(orderId);
    await eventually('the next event is consumed', async () => (await activities(rehearsal)) === before + 1, PATIENCE_MS);
    const parked = { 'dead-letter-as': 'parked', 'dead-letter-topic': ORDER_TOPIC, id };
    const [letter] = await recordsOn([`127.0.0.1:${port}`], `${ORDER_TOPIC}.dlq`, ({ headers: of }) => of['id'] === id, 1);
    expect(letter).toMatchObject({ key: orderId, headers: parked });
  });

  // If the subscribers took the record, the CRM would count an order that it never got.
  row('a fault changes an event: the topic has what clients get, and the subscribers get the original', async () => {
    await withKafka();
    const { rehearsal, orderId, before, confirm } = await paidOrder();
    const match = { event: 'order-confirmed' };
    await rehearsal.fault('stale', { match, fault: { kind: 'forbidden', change: 'previous-state' }, times: 1 });
    await rehearsal.fault('gone', { match: { event: 'payment-authorized' }, fault: { kind: 'forbidden', change: 'missing-event' } });
    await rehearsal.api('confirm-order-api', confirm);
    const other = await rehearsal.authorised();
    await atRest(rehearsal);
    expect(await activities(rehearsal)).toBe(before + 1);
    const records = await onTopics(rehearsal);
    const [confirmed] = records.filter(({ event }) => event.type.endsWith('.order-confirmed'));
    expect(confirmed?.event.subject).toBe(`order/${orderId}`);
    expect(confirmed?.event.data.object.state).toBe(confirmed?.event.data.previousState);
    const paid = records.filter(({ event }) => event.type.endsWith('.payment-authorized'));
    expect(paid.map(({ event }) => event.data.object.orderId)).not.toContain(other.id);
  });

  // Without the check for older scans, the parcel goes back to `collected`. Without the signature check, a forged webhook is 204.
  row('row 14: duplicate and reordered webhooks move the state once and forward; forged webhooks and those 6 min old get 401', async () => {
    await withKafka();
    const rehearsal = await estate.rehearse();
    await rehearsal.progress({ carrier: 'manual' });
    // Without a loyalty account: the Loyalty Platform is absent.
    const { id: orderId } = await rehearsal.confirmed({ customerId: 'cus_ben' });
    await atRest(rehearsal);
    const fulfilmentId = await rehearsal.onlyFulfilment(orderId);
    const shipmentId = await rehearsal.dispatched(fulfilmentId);
    await atRest(rehearsal);
    const now = await rehearsal.now();

    async function webhook(id: string, status: string, { at = now, signedAt = 0, secret = rehearsal.credentials.webhookSecret } = {}) {
      const instant = new Date(at).toISOString();
      const data = { shipmentId, status, occurredAt: instant };
      const body = JSON.stringify({ type: 'shipment.tracking.updated', timestamp: instant, data });
      const headers = { 'content-type': 'application/json', ...signWebhook(secret, { id, at: (await rehearsal.now()) + signedAt, body }) };
      return (await rehearsal.call('carrier-webhook', { query: { rehearsal: rehearsal.name }, body, headers })).status;
    }
    const look = async () => {
      await atRest(rehearsal);
      const { version, shipments } = await rehearsal.fulfillmentOrder(fulfilmentId);
      return { version, state: shipments[0]?.state };
    };

    const duplicated = await Promise.all(times(10, () => webhook('scan-1', 'in-transit')));
    expect(duplicated).toContain(204);
    expect(duplicated.filter((status) => ![204, 409, 503].includes(status))).toEqual([]);
    const moved = await look();
    expect(moved.state).toBe('in-transit');
    expect(await webhook('scan-1', 'in-transit')).toBe(204);
    expect(await webhook('scan-0', 'collected', { at: now - MINUTE })).toBe(204);
    expect(await webhook('forged', 'delivered', { secret: 'whsec_Zm9yZ2Vk' })).toBe(401);
    expect(await webhook('old', 'delivered', { signedAt: -6 * MINUTE })).toBe(401);
    expect(await look()).toEqual(moved);
    expect(await webhook('scan-2', 'delivered', { at: now + MINUTE })).toBe(204);
    const delivered = await look();
    expect(delivered.state).toBe('delivered');
    expect(await webhook('scan-3', 'out-for-delivery', { at: now })).toBe(204);
    expect(await look()).toEqual(delivered);
  });
}
