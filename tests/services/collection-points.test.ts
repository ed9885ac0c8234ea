import { describe, expect } from '@jest/globals';
import { onMonday } from '../support/steps/collection.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(async () => {
  const rehearsal = await onMonday();
  return { ...rehearsal, points: (query: object = {}) => rehearsal.call('list-collection-points-api', { query: query as never }) };
});

const idsOf = ({ body }: { body: { items: { locationId: string }[] } }): string[] => body.items.map(({ locationId }) => locationId);

describe('List Collection Points', () => {
  test('List Collection Points lists the stores that have the goods, with their hours and when the goods are ready', async ({ points }) => {
    const { status, body } = await points({ sku: 'mug-blue', qty: '2' });
    expect([status, body.items.length, body.asOf]).toEqual([200, 3, '2026-03-02T10:00:00.000Z']);
    expect(body.items[0]).toMatchObject({
      locationId: 'store-01',
      name: 'Galway, Quay Street',
      from: 'shelf',
      readyBy: '2026-03-02T12:00:00.000Z',
      openingHours: { mon: ['09:30-19:00'], sun: [] },
      timeZone: 'UTC',
    });
  });

  test('List Collection Points leaves out stores that neither have all goods nor get them from one warehouse', async ({ points }) => {
    expect(idsOf(await points({ sku: 'mug-blue', qty: '1001' }))).toEqual([]);
    expect(idsOf(await points({ sku: 'mug-blue,desk-two-nodes', qty: '1,4' }))).toEqual([]);
    expect(idsOf(await points({ sku: 'mug-blue,mug-blue', qty: '500,500' }))).toHaveLength(3);
    expect(idsOf(await points({ sku: 'mug-blue,mug-blue', qty: '500,501' }))).toEqual([]);
  });

  test('List Collection Points sorts the stores by distance', async ({ points }) => {
    const { body } = await points({ near: '53.55,9.99' });
    expect(body.items.map(({ locationId, distanceKm }: { locationId: string; distanceKm: number }) => [locationId, distanceKm])).toEqual([
      ['store-03', expect.closeTo(0.5, 0)],
      ['store-02', expect.closeTo(1073, -2)],
      ['store-01', expect.closeTo(1256, -2)],
    ]);
    expect(idsOf(await points({ near: '53.27,-9.06', limit: '1' }))).toEqual(['store-01']);
  });

  test.each([
    ['an unknown SKU', { sku: 'mug-unknown' }, 404, undefined],
    ['units without SKUs', { qty: '2' }, 422, '?qty'],
    ['fewer units than SKUs', { sku: 'mug-blue,lamp-last-one', qty: '2' }, 422, '?qty'],
    ['zero units', { sku: 'mug-blue', qty: '0' }, 422, '?qty'],
    ['a place that is not on the earth', { near: '91,0' }, 422, '?near'],
    ['words for a place', { near: 'Galway' }, 422, '?near'],
    ['an empty SKU', { sku: 'mug-blue,' }, 422, '?sku'],
    ['too many SKUs', { sku: Array.from({ length: 51 }, () => 'mug-blue').join(',') }, 422, '?sku'],
  ] as const)('List Collection Points refuses %s', async ({ points }, _case, query, status, pointer) => {
    const { status: answered, body } = await points(query);
    expect([answered, body.errors?.[0].pointer]).toEqual([status, pointer]);
  });
});

describe('List Products with collectAt', () => {
  test('List Products returns when a unit of each product is ready in a store, as Check Availability does', async (rehearsal) => {
    const { api, control } = rehearsal;
    await control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'store-02' }, body: { onHand: 0 } });
    const { items, nextCursor } = await api('list-products-api', { query: { collectAt: 'store-02', limit: 100 } });
    expect(nextCursor).toBeUndefined();
    expect(items.filter(({ collection }) => collection === undefined).map(({ sku }) => sku)).toEqual(['vase-sold-out']);
    expect(items.find(({ sku }) => sku === 'mug-blue')?.collection).toMatchObject({ from: 'transfer' });
    expect(items.find(({ sku }) => sku === 'teapot-stone')?.collection).toEqual({
      locationId: 'store-02',
      from: 'shelf',
      readyBy: '2026-03-02T12:00:00.000Z',
    });
    for (const { sku, collection } of items) {
      const checked = await api('check-availability-api', { params: { sku }, query: { collectAt: 'store-02' } as never });
      expect([sku, collection]).toEqual([sku, checked.collection]);
    }
    const found = async (query: object) => (await api('list-products-api', { query: query as never })).items;
    expect(await found({ gtin: '09521001000079', collectAt: 'store-01' })).toMatchObject([{ collection: { locationId: 'store-01' } }]);
    expect((await found({ gtin: '09521001000079' }))[0]).not.toHaveProperty('collection');
  });

  test('List Products reads the stock of a page together', async ({ api, control }) => {
    await api('list-products-api', { query: { collectAt: 'store-01', limit: 100 } });
    const { items } = await control('read-journal', { query: { limit: 100 } });
    expect(items.filter(({ api: id }) => id === 'list-collectable')).toHaveLength(1);
  });

  test.each([
    ['a warehouse', { collectAt: 'dc-01' }, 422, '?collectAt'],
    ['a warehouse, even if no product is found', { collectAt: 'dc-01', q: 'nothing-of-the-kind' }, 422, '?collectAt'],
    ['an unknown store', { collectAt: 'store-99' }, 422, '?collectAt'],
  ] as const)('List Products refuses %s', async ({ call }, _case, query, status, pointer) => {
    const { status: answered, body } = await call('list-products-api', { query });
    expect([answered, body.errors?.[0].pointer]).toEqual([status, pointer]);
  });
});

describe('Check Availability with collectAt', () => {
  test('Check Availability returns when units are ready in a store, and nothing for more than any location has', async ({ api, call }) => {
    const at = (qty: string) =>
      api('check-availability-api', { params: { sku: 'mug-blue' }, query: { qty, collectAt: 'store-02' } as never });
    expect(await at('50')).toMatchObject({
      atp: 50,
      nodes: [{ locationId: 'store-02', atp: 50 }],
      collection: { locationId: 'store-02', from: 'shelf', readyBy: '2026-03-02T12:00:00.000Z' },
    });
    expect((await at('1001')).collection).toBeUndefined();
    const { status, body } = await call('check-availability-api', { params: { sku: 'mug-blue' }, query: { collectAt: 'dc-01' } });
    expect([status, body.errors?.[0].pointer]).toEqual([422, '?collectAt']);
  });
});
