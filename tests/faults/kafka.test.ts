import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { type CollectedRecord, collectEvents } from '../containers/event-collector.ts';
import { type Broker, plainClient, skipWithoutDocker, startBroker, whyNoDocker } from '../containers/kafka.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../redis/redis-server.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type EstateOfProcesses, killAll, PATIENCE_MS, type Rehearsed, shown, startEstateOfProcesses, times } from './processes.ts';
import { ADDRESS, confirmed, order, pay, SHOP } from './shop.ts';

/** How many orders there are while Kafka is away; a busy machine may do with fewer. */
const ORDERS = Number(process.env['FAULTS_ORDERS'] ?? 500);
const BUYERS = 20;
const STOPPED_MS = 30_000;
const ADA = 'cus_ada';
const ORDER_TOPIC = 'uc.order.events';
const MINUTE = 60_000;
/** These consume payments and orders too, and are away all the time. */
const OWED_TO_ABSENT = /^pending (pos|loyalty-platform)\|/;

afterAll(killAll);
if (whyNoDocker !== undefined) skipWithoutDocker('processes on a Kafka that comes and goes');
else if (whyNoRedis !== undefined) skipWithoutRedis('processes on a Kafka that comes and goes');
else describe('Events, on a Kafka that comes and goes, between processes that do', kafka);

function kafka(): void {
  let redis: RedisServer;
  let estate: EstateOfProcesses;
  let port: number;
  let broker: Broker | undefined;

  beforeAll(async () => {
    redis = await startRedis();
    port = await freePort();
    estate = await startEstateOfProcesses({
      services: { ...SHOP, fms: 1, wms: 1, 'carrier-platform': 1 },
      redisPort: redis.port,
      kafka: `127.0.0.1:${port}`,
    });
  }, 3 * PATIENCE_MS);
  afterAll(async () => {
    await estate?.close();
    await broker?.stop();
    await redis?.stop();
  });

  const row = (title: string, body: () => Promise<void>): void => test(title, () => shown(estate, body));
  const allReady = (): Promise<unknown> =>
    eventually(
      'every process is ready',
      async () => (await Promise.all(estate.all().map((one) => one.readyz()))).every(({ status }) => status === 200),
      2 * PATIENCE_MS,
    );

  /** It is absent until the first row is done with its absence. */
  async function withKafka(): Promise<Broker> {
    broker ??= await startBroker(port);
    await allReady();
    return broker;
  }

  /** Everything is sent, and consumed by those who are there, and every invariant holds. */
  async function atRest({ client }: Rehearsed): Promise<void> {
    await eventually(
      'it comes to rest',
      async () => {
        const { settled, waitingFor } = await client.control('settle', { body: { timeoutMs: 500 } });
        return settled || waitingFor.every((what) => OWED_TO_ABSENT.test(what));
      },
      2 * PATIENCE_MS,
    );
    const { invariants } = await client.control('verify');
    expect(invariants.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`))).toEqual([]);
  }

  /** Records on the topics of a rehearsal, as read by a plain client. */
  async function onTopics({ name }: Rehearsed): Promise<readonly CollectedRecord[]> {
    const collector = await collectEvents([`127.0.0.1:${port}`]);
    try {
      return await collector.of(name);
    } finally {
      await collector.stop();
    }
  }
  /** Each event once, at its first position, as a de-duplicating consumer sees it. */
  const distinct = (records: readonly CollectedRecord[]) =>
    [...Map.groupBy(records, ({ event }) => event.id).values()].flatMap(([first]) => first?.event ?? []);
  const copies = (records: readonly CollectedRecord[], type: string): string[] =>
    records.filter(({ event }) => event.type.endsWith(`.${type}`)).map(({ event }) => event.id);
  function expectContiguous(records: readonly CollectedRecord[]): void {
    for (const [subject, events] of Map.groupBy(distinct(records), ({ subject: of }) => of as string)) {
      // One version may have two events: a reservation that was made has one of its own, and one of the stock.
      const versions = [...new Set(events.map(({ aggregateversion }) => aggregateversion as number))];
      const [first = 1] = versions;
      expect([subject, versions]).toEqual([subject, versions.map((_, n) => first + n)]);
    }
  }
  const activities = async (rehearsal: Rehearsed): Promise<number> => (await rehearsal.object('customer', ADA)).version;

  /** An order of Ada's that can be confirmed, in a rehearsal of its own that is at rest; and how often the CRM has seen her active before. */
  async function paidOrder(): Promise<{ rehearsal: Rehearsed; orderId: string; before: number }> {
    const rehearsal = await estate.rehearse();
    const orderId = await order(rehearsal, ADA);
    await pay(rehearsal, orderId);
    await atRest(rehearsal);
    return { rehearsal, orderId, before: await activities(rehearsal) };
  }

  // If a request waits for the relay, it is 504.
  row(
    `row 1: Kafka is absent while ${ORDERS} orders are placed, and started then: all are 2xx, and every event is there once it is`,
    async () => {
      const rehearsal = await estate.rehearse();
      const places: string[] = [];
      const statuses = new Set<number>();
      const ask = async (path: string, body: unknown) => {
        const reply = await rehearsal.client.call('POST', path, body);
        statuses.add(reply.status);
        return reply.body;
      };
      await Promise.all(
        times(BUYERS, async () => {
          while (places.length < ORDERS) {
            const place = places.push('') - 1;
            const { id: basketId } = await ask('/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] });
            await ask(`/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS });
            places[place] = (await ask('/orders', { basketId })).id;
          }
        }),
      );
      expect([...statuses].filter((status) => status >= 300)).toEqual([]);
      expect((await estate.one('oms').readyz()).body.waitingFor).toContainEqual(expect.stringMatching(/^kafka: /));
      await withKafka();
      await atRest(rehearsal);
      const records = await onTopics(rehearsal);
      const created = distinct(records).filter(({ type }) => type.endsWith('.order-created'));
      expect(new Set(created.map(({ subject }) => subject))).toEqual(new Set(places.map((id) => `order/${id}`)));
      expect(new Set(created.map(({ id }) => id)).size).toBe(places.length);
      expectContiguous(records);
    },
  );

  // If a request waits for the relay, only three requests are answered in the 30 s.
  row(
    'row 2: Kafka is stopped for 30 s under steady load: nothing is lost, requests do not wait for it, and the relay resumes',
    async () => {
      const stopped = await withKafka();
      const rehearsal = await estate.rehearse();
      const took = { before: [] as number[], during: [] as number[] };
      let phase: keyof typeof took = 'before';
      let going = true;
      const baskets: string[] = [];
      const buying = times(3, async () => {
        while (going) {
          const [at, began] = [phase, performance.now()];
          const reply = await rehearsal.client.call('POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] });
          took[at].push(performance.now() - began);
          expect(reply.status).toBe(201);
          baskets.push(reply.body.id);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      });
      await eventually('it is known how long a request takes', async () => took.before.length >= 60, PATIENCE_MS);
      await stopped.pause();
      phase = 'during';
      await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
      expect(took.during.length).toBeGreaterThan(20);
      await stopped.unpause();
      going = false;
      await Promise.all(buying);
      const median = (all: readonly number[]): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0;
      expect(median(took.during)).toBeLessThan(2 * median(took.before) + 100);
      await atRest(rehearsal);
      const records = await onTopics(rehearsal);
      const created = distinct(records).filter(({ type }) => type.endsWith('.basket-created'));
      expect(new Set(created.map(({ subject }) => subject))).toEqual(new Set(baskets.map((id) => `basket/${id}`)));
      expectContiguous(records);
      await allReady();
    },
  );

  /** An acknowledgement of the relay, of the event of a type whose commit came by. */
  function acknowledging(type: string): (asked: string) => boolean {
    let id: string | undefined;
    return (asked) => {
      const at = asked.includes(scripts.commit.sha) ? asked.indexOf(`.${type}`) : -1;
      if (at >= 0)
        id = asked
          .slice(0, at)
          .match(/evt_\w+/g)
          ?.at(-1);
      return id !== undefined && asked.includes(scripts.drain.sha) && asked.includes(id);
    };
  }

  // If a commit does not consume its delivery, and without the CRM's own list of orders, the customer becomes active twice.
  row('row 4: the relay is killed after the ack of Kafka: the event is on the topic twice, and has its effect once', async () => {
    await withKafka();
    const { rehearsal, orderId, before } = await paidOrder();
    const struck = estate.strike('oms', { lose: 'request', when: acknowledging('order-confirmed'), by: 'silence' });
    const confirming = rehearsal.ok('POST', `/orders/${orderId}/confirm`, {}, 'confirm');
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
  row('row 5: the relay that holds the lease is frozen beyond it: the other takes over, and the order is kept', async () => {
    await withKafka();
    await estate.start('oms');
    const { rehearsal, orderId } = await paidOrder();
    const struck = estate.strike('oms', { lose: 'request', when: acknowledging('order-confirmed'), by: 'silence' });
    const confirming = rehearsal.ok('POST', `/orders/${orderId}/confirm`, {}, 'confirm');
    const frozen = await struck;
    frozen.signal('SIGSTOP');
    estate.way('oms').lead(estate.of('oms').flatMap((one) => (one === frozen ? [] : [one.port])));
    estate.way('oms').breakOff();
    await confirming;
    await rehearsal.ok('POST', `/orders/${orderId}/cancel`, {}, 'cancel');
    await atRest(rehearsal);
    // Its acknowledgement arrives now, when it holds nothing any more.
    frozen.signal('SIGCONT');
    estate.wayToRedis(frozen).clear();
    estate.way('oms').lead(estate.of('oms').map(({ port: one }) => one));
    const other = await confirmed(rehearsal, ADA);
    await atRest(rehearsal);
    const records = await onTopics(rehearsal);
    expect(copies(records, 'order-confirmed').length).toBeGreaterThan(2);
    expect(
      new Set(
        distinct(records)
          .filter(({ type }) => type.endsWith('.order-confirmed'))
          .map(({ subject }) => subject),
      ),
    ).toEqual(new Set([`order/${orderId}`, `order/${other}`]));
    expectContiguous(records);
    frozen.signal('SIGTERM');
    expect(await frozen.ended).toBe(0);
  });

  // Without the check for consumed deliveries and the CRM's own list of orders, the customer becomes active once more.
  row('row 13: a consumer is killed in the midst of a batch: each event has its effect once', async () => {
    await withKafka();
    const rehearsal = await estate.rehearse();
    const orders = await Promise.all(times(3, () => order(rehearsal, ADA)));
    for (const id of orders) await pay(rehearsal, id);
    await atRest(rehearsal);
    const before = await activities(rehearsal);
    const struck = estate.strike('crm', {
      lose: 'answer',
      when: (asked) => asked.includes(scripts.commit.sha) && asked.includes('"kind":"delivery"'),
      by: 'silence',
    });
    const confirming = Promise.all(orders.map((id) => rehearsal.ok('POST', `/orders/${id}/confirm`, {})));
    const consumer = await struck;
    consumer.signal('SIGKILL');
    await consumer.ended;
    await confirming;
    await estate.start('crm');
    await atRest(rehearsal);
    expect(await activities(rehearsal)).toBe(before + orders.length);
  });

  // Without a limit of attempts, events behind the poison event are never consumed.
  row('row 13: a poison message is tried, parked and put aside, and its partition moves on', async () => {
    await withKafka();
    const { rehearsal, orderId, before } = await paidOrder();
    const poison = `evt_poison_${rehearsal.name}`;
    const [sample] = distinct(await onTopics(rehearsal)).filter(({ type }) => type.endsWith('.order-created'));
    const event = {
      ...sample,
      id: poison,
      type: sample.type.replace('order-created', 'order-confirmed'),
      data: { ...sample.data, object: 'poison' },
    };
    const producer = plainClient([`127.0.0.1:${port}`]).producer();
    await producer.connect();
    const headers = { id: poison, world: rehearsal.world, rehearsal: rehearsal.name, 'content-type': 'application/cloudevents+json' };
    await producer.send({ topic: ORDER_TOPIC, messages: [{ key: orderId, value: JSON.stringify(event), headers }] });
    await producer.disconnect();
    await rehearsal.ok('POST', `/orders/${orderId}/confirm`, {});
    await eventually('what is behind it is consumed', async () => (await activities(rehearsal)) === before + 1, PATIENCE_MS);
    const [dead] = await deadLettersOf(port, poison);
    expect(dead).toMatchObject({ key: orderId, headers: { 'dead-letter-as': 'parked', 'dead-letter-topic': ORDER_TOPIC, id: poison } });
  });

  // Without the check for older scans, the parcel goes back to `collected`. Without the signature check, a forged webhook is 204.
  row('row 14: webhooks that come twice, in the wrong order, forged or 6 min old: state moves once and forward, and 401', async () => {
    await withKafka();
    const rehearsal = await estate.rehearse();
    const { ok, client, credentials } = rehearsal;
    await client.control('set-progression', { body: { carrier: 'manual' } });
    const orderId = await confirmed(rehearsal);
    await atRest(rehearsal);
    const [{ id: fulfillmentOrderId }] = (await ok('GET', `/orders/${orderId}`)).fulfillmentOrders;
    const { id: picking } = await ok('POST', '/picking-orders', { fulfillmentOrderId });
    for (const status of ['started', 'picked', 'packed']) await ok('PUT', `/picking-orders/${picking}/status`, { status });
    const [shipment] = (await ok('POST', `/fulfillment/orders/${fulfillmentOrderId}/dispatch`, {})).shipments;
    await atRest(rehearsal);
    const now = Date.parse((await client.control('read-clock')).now);

    async function webhook(id: string, status: string, { at = now, signedAt = 0, secret = credentials.webhookSecret } = {}) {
      const instant = new Date(at).toISOString();
      const data = { shipmentId: shipment.id, status, occurredAt: instant };
      const body = JSON.stringify({ type: 'shipment.tracking.updated', timestamp: instant, data });
      const clock = Date.parse((await client.control('read-clock')).now);
      const headers = { ...signWebhook(secret, { id, at: clock + signedAt, body }) };
      return (await client.call('POST', `/webhooks/carrier?rehearsal=${rehearsal.name}`, body, { as: 'none', headers })).status;
    }
    const look = async () => {
      await atRest(rehearsal);
      const { version, shipments } = await ok('GET', `/fulfillment/orders/${fulfillmentOrderId}`);
      return { version, state: shipments[0].state };
    };

    const duplicated = await Promise.all(times(10, () => webhook('scan-1', 'in-transit')));
    expect(duplicated.filter((status) => status === 204).length).toBeGreaterThan(0);
    expect(duplicated.filter((status) => status !== 204 && status !== 409 && status !== 503)).toEqual([]);
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

/** Records of an event on the dead-letter topic. */
async function deadLettersOf(port: number, id: string) {
  const consumer = plainClient([`127.0.0.1:${port}`]).consumer({ groupId: `dead-letters-of-${id}`, maxWaitTimeInMs: 200 });
  const found: { readonly key: string; readonly headers: Readonly<Record<string, string>> }[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [`${ORDER_TOPIC}.dlq`], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message: { key, headers = {} } }) => {
        const texts = Object.fromEntries(Object.entries(headers).map(([name, given]) => [name, String(given)]));
        if (texts['id'] === id) found.push({ key: String(key), headers: texts });
      },
    });
    await eventually('its dead letter is there', async () => found.length > 0, PATIENCE_MS);
    return found;
  } finally {
    await consumer.disconnect();
  }
}
