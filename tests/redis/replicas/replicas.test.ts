import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { runScenario } from '../../../rehearsal/runner.ts';
import { scenarios } from '../../../rehearsal/scenarios.ts';
import { eventually } from '../../support/eventually.ts';
import { notedReport } from '../../support/noted-report.ts';
import { ADMIN } from '../../support/open-rehearsal.ts';
import type { PlainClient } from '../../support/plain-client.ts';
import { rehearsalAt } from '../../support/steps/rehearsal-at.ts';
import { clientOf, describeReplicas } from './running-replicas.ts';

/** One scenario of each kind. Other tests run all scenarios in an estate of one process. */
const REHEARSED = ['delivered-order', 'webhook-storm', 'split-tender', 'return-refunded', 'events-disordered', 'unknown-outcome'];
const rehearsed = scenarios.filter(({ name }) => REHEARSED.includes(name));
const MUG = { sku: 'mug-blue', qty: 1 };
const LOCATIONS = ['dc-01', 'store-01', 'store-02'];
const newName = (): string => `replicas-${randomBytes(5).toString('hex')}`;
const times = <T>(count: number, each: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => each(n));
const eventsAt = async (client: PlainClient) => (await client.control('list-events', { query: { ext: 'true', limit: 1_000 } })).items;

describeReplicas('An estate with three replicas of every service', { processes: 3 }, (estate) => {
  /** A rehearsal whose calls reach all gateways in turn, and a client of each gateway. */
  async function newRehearsal() {
    const rehearsal = await rehearsalAt(estate.gateway);
    const each = estate.replicas.map(({ door }) => clientOf(door.url, rehearsal.name)) as [PlainClient, PlainClient, PlainClient];
    const close = async () => void (await Promise.all(each.map((client) => client.close())));
    return { ...rehearsal, each, [Symbol.asyncDispose]: close };
  }

  test('Concurrent counts of one SKU result in the counted stock of each location', async () => {
    await using rehearsal = await newRehearsal();
    for (const onHand of [100, 30, 100, 30]) {
      const count = (n: number) =>
        rehearsal.control('count-stock-by-hand', { params: { sku: 'pen-brass', locationId: LOCATIONS[n % 3] ?? '' }, body: { onHand } });
      await Promise.all(times(15, count));
      const stock = await rehearsal.stockOf('pen-brass');
      expect(LOCATIONS.map((id) => stock[id]?.[0])).toEqual([onHand, onHand, onHand]);
    }
    await rehearsal.verify();
  });

  test('Concurrent allocations of one line allocate it once, and return the same allocation', async () => {
    await using rehearsal = await newRehearsal();
    for (const _ of times(5, String)) {
      const { id: basketId } = await rehearsal.basket(MUG);
      const { reservationId = '' } = await rehearsal.checkedOut(basketId);
      const { id, lines } = await rehearsal.draft(basketId);
      await rehearsal.api('release-reservation-api', { params: { id: reservationId } });
      const body = { orderId: id, orderLineId: lines[0]?.lineId, ...MUG };
      const replies = await Promise.all(times(10, () => rehearsal.call('allocate-inventory-api', { body })));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([...times(9, () => 200), 201]);
    }
    await rehearsal.verify();
  });

  test('An access token that a fault made expire at one gateway has expired at every gateway, and a new one works at each', async () => {
    await using rehearsal = await newRehearsal();
    const { clientId, clientSecret } = rehearsal.credentials;
    const [first, second, third] = estate.replicas.map(({ door }) => door.url) as [string, string, string];
    const tokenOf = async (url: string): Promise<string> => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
      return ((await (await fetch(`${url}/oauth/token`, { method: 'POST', body })).json()) as { access_token: string }).access_token;
    };
    const statusAt = async (url: string, token: string): Promise<number> =>
      (await fetch(`${url}/customers/cus_ada`, { headers: { authorization: `Bearer ${token}` } })).status;
    const tokens = await Promise.all([first, second].map(tokenOf));
    await rehearsal.fault('expiry', { match: { api: 'get-customer-api' }, fault: { kind: 'expired-token' }, times: 1 });
    expect(await statusAt(second, tokens[0] ?? '')).toBe(401);
    for (const url of [first, third]) for (const token of tokens) expect(await statusAt(url, token)).toBe(401);
    const fresh = await tokenOf(third);
    for (const url of [first, second, third]) expect(await statusAt(url, fresh)).toBe(200);
  });

  test('Concurrent calls with one reference create one object of each type', async () => {
    await using rehearsal = await newRehearsal();
    for (const number of times(3, String)) {
      const named = { reference: { source: 'web-shop', id: `#${number}` } };
      const { id: basketId } = await rehearsal.checkedOut();
      const { id: orderId } = await rehearsal.draft();
      const tender = { type: 'card', token: 'tok_visa' } as const;
      const bodies = {
        'create-basket-api': {
          channel: 'web',
          mergeBasketIds: [(await rehearsal.basket({ customerId: 'cus_ada' })).id],
          customerId: 'cus_ada',
        },
        'create-order-api': { basketId },
        'authorize-payment-api': { orderId, tender },
        'create-customer-api': { email: `named-${number}@people.example`, firstName: 'Zoe' },
      } as const;
      for (const [api, body] of Object.entries(bodies)) {
        const create = () => rehearsal.call(api as keyof typeof bodies, { body: { ...body, ...named } } as never);
        const replies = await Promise.all(times(10, create));
        expect([api, replies.map(({ status }) => status).toSorted()]).toEqual([api, [...times(9, () => 200), 201]]);
        expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1);
      }
      const query = { referenceSource: 'web-shop', referenceId: `#${number}` };
      expect((await rehearsal.api('list-orders-api', { query })).items).toMatchObject([{ basketId, ...named }]);
    }
    await rehearsal.verify();
  });

  test('Twenty concurrent additions to one basket add twenty units', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.basket({ lines: [] });
    const baskets = await Promise.all(times(20, () => rehearsal.api('add-line-to-basket-api', { params: { id }, body: MUG })));
    const units = baskets.map(({ lines }) => lines[0]?.qty ?? 0);
    expect(units.toSorted((one, other) => one - other)).toEqual(times(20, (n) => n + 1));
  });

  test('A changed product and a changed promotion hold from the next request on, in every replica that has read the old ones', async () => {
    await using rehearsal = await newRehearsal();
    const half = { name: 'Half', kind: 'percent-off', percent: 50, skus: [MUG.sku], priority: 70, stackable: true };
    await rehearsal.control('change-promotion-by-hand', { params: { id: 'half' }, body: { ...half, activeFrom: '-P1D', activeTo: 'P1D' } });
    // More requests than replicas, so that each of them has read the data.
    const priced = () => Promise.all(times(9, async () => (await rehearsal.basket(MUG)).totals));
    for (const round of times(4, (n) => n + 1)) {
      const [amount, percent] = [1_000 * round, 10 * round];
      const shop = rehearsal.each[round % 3] ?? rehearsal.each[0];
      await shop.control('change-product-by-hand', { params: { id: MUG.sku }, body: { price: { amount } } });
      await shop.control('change-promotion-by-hand', { params: { id: 'half' }, body: { percent } });
      const discount = (amount * percent) / 100;
      for (const totals of await priced()) expect(totals).toMatchObject({ subtotal: { amount }, discount: { amount: discount } });
    }
  });

  test('Every gateway accepts a token that one has issued, until any of them revokes it', async () => {
    await using rehearsal = await newRehearsal();
    const [first, second] = estate.replicas.map(({ door }) => door.url);
    const { clientId: client_id, clientSecret: client_secret } = rehearsal.credentials;
    const post = (url: string, form: Readonly<Record<string, string>>) =>
      fetch(url, { method: 'POST', body: new URLSearchParams({ client_id, client_secret, ...form }) });
    const issued = await post(`${first}/oauth/token`, { grant_type: 'client_credentials' });
    const { access_token: token } = (await issued.json()) as { readonly access_token: string };
    const statuses = async () => {
      const get = async (url: string) =>
        (await fetch(`${url}/customers/cus_ada`, { headers: { authorization: `Bearer ${token}` } })).status;
      return Promise.all(estate.replicas.map(({ door }) => get(door.url)));
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await post(`${second}/oauth/revoke`, { token })).status).toBe(200);
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  test('A rehearsal that three gateways create concurrently is created once, and two report that it exists', async () => {
    for (const name of times(5, newName)) {
      const create = ({ client }: { client: PlainClient }) => client.call('POST', '/_control/rehearsals', { name }, { as: 'admin' });
      const replies = await Promise.all(estate.replicas.map(create));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
      const { world, credentials } = replies.find(({ status }) => status === 201)?.body ?? {};
      await using any = clientOf(estate.gateway, name);
      expect((await any.control('list-rehearsals')).items.filter((item) => item.name === name)).toMatchObject([{ world }]);
      const headers = { authorization: `Bearer ${credentials.bearer}`, 'x-rehearsal': name };
      expect((await any.call('GET', '/customers/cus_ada', undefined, { headers })).status).toBe(200);
    }
  });

  test('A rehearsal that all gateways use concurrently for the first time has one world', async () => {
    await using any = clientOf(estate.gateway, newName());
    const ids = (await Promise.all(times(12, () => any.call('create-basket-api', { body: { channel: 'web' } })))).map(({ body }) =>
      String(body.id),
    );
    for (const id of ids) expect(await any.control('read-object', { params: { type: 'basket', id } })).toMatchObject({ id });
    expect(new Set(ids).size).toBe(12);
  });

  test('A rehearsal that two gateways reset concurrently has one fresh world at all of them', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.basket();
    const resets = await Promise.all(rehearsal.each.slice(0, 2).map((client) => client.control('reset-rehearsal')));
    const seen = await Promise.all(rehearsal.each.map((client) => client.control('list-rehearsals')));
    const worlds = new Set(seen.map(({ items }) => items.find(({ name }) => name === rehearsal.name)?.world));
    expect(worlds.size).toBe(1);
    expect(resets.map(({ world }) => world)).toEqual(expect.arrayContaining([...worlds]));
    await expect(rehearsal.object('basket', id)).rejects.toMatchObject({ status: 404 });
  });

  test('Every gateway lists each event once, in the same order, with versions without a gap', async () => {
    await using rehearsal = await newRehearsal();
    await Promise.all(times(12, () => rehearsal.confirmed(MUG)));
    await rehearsal.control('advance-clock', { body: { by: 'P3D', timeoutMs: 60_000 } });
    await rehearsal.verify();
    const [one = [], ...others] = await Promise.all(rehearsal.each.map(eventsAt));
    expect(one.length).toBeGreaterThan(100);
    for (const other of others) expect(other).toEqual(one);
    expect(one.map(({ order }) => order)).toEqual(times(one.length, (n) => n + 1));
    const ids = one.map(({ event }) => String(event['id']));
    expect(new Set(ids).size).toBe(ids.length);
    expect(estate.bus.published.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
    // A change may have two events of one version.
    for (const events of Map.groupBy(one, ({ event }) => String(event['subject'])).values()) {
      const versions = events.map(({ event }) => Number(event['aggregateversion']));
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect([...new Set(versions)]).toEqual(times(new Set(versions).size, (n) => n + (versions[0] ?? 0)));
    }
  });

  test('Every gateway shows the same contents, objects and calls', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.confirmed(MUG);
    await rehearsal.verify();
    const shown = async (client: PlainClient) => {
      const { counts } = await client.control('read-rehearsal', { params: { name: rehearsal.name } });
      const { items: orders } = await client.control('list-objects', { params: { type: 'order' }, query: { state: 'confirmed' } });
      return { counts, orders, topology: await client.control('read-topology') };
    };
    const same = await eventually('all gateways show the same', async () => {
      const [first, ...others] = await Promise.all(rehearsal.each.map(shown));
      return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) && first;
    });
    expect(same).toMatchObject({ orders: [{ id }], counts: { objects: { order: { confirmed: 1 } } } });
    expect(same.topology.applications.filter(({ state }) => state !== 'ready')).toEqual([]);
    expect(same.topology.touchpoint).toEqual({ state: 'unknown' });
    expect(same.topology.seen).toContainEqual({ from: 'oms', to: 'payment-hub', calls: expect.any(Number), failed: 0 });
  });

  test('A client that waits at one gateway gets an event of a call to another, and both have the same journal', async () => {
    await using rehearsal = await newRehearsal();
    const [, second, third] = rehearsal.each;
    const waiting = second.control('wait-for-events', { body: { type: 'order-confirmed', count: 1, timeoutMs: 10_000 } });
    const { id } = await rehearsal.confirmed(MUG);
    expect(await waiting).toMatchObject({ found: true, items: [{ event: { subject: `order/${id}` } }] });
    await rehearsal.cancel(id, {}, { 'x-correlation-id': 'a-story' });
    await rehearsal.settle();
    const read = (client: PlainClient) => client.control('read-journal', { query: { correlationId: 'a-story' } });
    const { complete, items } = await read(second);
    expect(complete).toBe(true);
    expect(new Set(items.map((item) => item['application'])).size).toBeGreaterThan(2);
    // A record is written after its hop, and the answer does not wait for it.
    await eventually('the same journal at both gateways', async () =>
      isDeepStrictEqual((await read(second)).items, (await read(third)).items),
    );
  });

  test('A clock that three gateways advance is advanced by one, which runs due work in order', async () => {
    await using rehearsal = await newRehearsal();
    await Promise.all(times(20, () => rehearsal.basket(MUG)));
    const advance = (client: PlainClient) =>
      client.call('POST', '/_control/clock/advance', { by: 'P5D', timeoutMs: 60_000 }, { as: 'admin' });
    const replies = await Promise.all(rehearsal.each.map(advance));
    const [advanced, busy] = replies.toSorted((one, other) => one.status - other.status);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect([busy?.body.code, busy?.headers['retry-after']]).toEqual(['clock_busy', '1']);
    const ran: { application: string; at: string }[] = advanced?.body.ran;
    expect(advanced?.body.settled).toBe(true);
    expect(ran.filter(({ application }) => application === 'ecommerce-platform').length).toBeGreaterThanOrEqual(20);
    expect(ran.map(({ at }) => at)).toEqual(ran.map(({ at }) => at).toSorted());
    await rehearsal.verify();
  });

  test('Due work runs once, although the clock flows at every gateway', async () => {
    await using rehearsal = await newRehearsal();
    await Promise.all(times(10, () => rehearsal.confirmed(MUG)));
    await rehearsal.control('advance-clock', { body: { by: 'PT2H', timeoutMs: 60_000 } });
    await rehearsal.verify();
    const { items } = await rehearsal.control('read-journal', { query: { limit: 5_000 } });
    const done = items.filter((item) => item['method'] === 'DUE' && item['status'] === 200);
    const keys = done.map((item) => `${item['application']} ${item['api']} ${item['path']} ${item['at']}`);
    expect(keys.length).toBeGreaterThanOrEqual(10);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('Withheld events are sent in their original order, whichever gateway releases them', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('held', { match: { event: 'ext.basket-changed' }, fault: { kind: 'withhold' } });
    const { id } = await rehearsal.basket(MUG);
    for (const _ of times(15, String)) await rehearsal.api('add-line-to-basket-api', { params: { id }, body: MUG });
    const { withheld } = await rehearsal.settle();
    expect(withheld.length).toBeGreaterThanOrEqual(15);
    await rehearsal.noFaults();
    await rehearsal.verify();
    const sent = await rehearsal.events({ type: 'ext.basket-changed', ext: true });
    expect(sent.map((event) => event.id)).toEqual(withheld.map((item) => item.id));
  });

  test.each(rehearsed.map((scenario) => [scenario.name, scenario] as const))(
    'The scenario %s passes with replicas',
    async (_, scenario) => {
      const { noted, report } = notedReport();
      const credentials = { bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN };
      await runScenario(scenario, { gateway: estate.gateway, ...credentials, report });
      expect(noted.at(-1)).toBe('passed');
    },
  );
});
