import { describe, expect, test as plainTest } from '@jest/globals';
import { listedType } from '../../control/objects/types.ts';
import { playOf } from '../../control/timelines/play-of.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { orderAfterOutage } from '../support/steps/order-after-outage.ts';
import { testIn } from '../support/test-in.ts';
import { afterLoad } from './after-load.ts';

const test = testIn(newRehearsal);

const play = (rehearsal: TestRehearsal, query: { type?: string; id?: string; limit?: number } = {}) =>
  rehearsal.control('read-play', { query });
type Play = Awaited<ReturnType<typeof play>>;

const sentencesIn = ({ steps }: Play) => steps.map(({ sentence }) => sentence);

describe('The story of an order', () => {
  test('A story has a sentence for each exchange, with its amounts, its goods, its refusals and its changes', async (rehearsal) => {
    const id = await orderAfterOutage(rehearsal, ['tok_decline_insufficient_funds']);
    const read = await play(rehearsal, { type: 'order', id });
    expect([read.omitted, read.truncated]).toEqual([0, false]);
    expect(read.name).toMatch(/^order \d{6}-\w{6}$/);
    const sentences = sentencesIn(read);
    expect(sentences).toEqual(
      expect.arrayContaining([
        'Your client calls the eCommerce Platform to create the basket of 25.98 EUR. It answers 201.',
        'The eCommerce Platform calls the SIM to reserve the inventory: 2 mug-blue. It answers 201.',
        'Your client calls the Payment Hub to authorise the payment. It fails with 503: dependency unavailable. The fault “hub-down” strikes.',
        'Your client calls the Payment Hub to authorise the payment. It refuses with 402: payment declined.',
        'Your client calls the Payment Hub to authorise the payment of 30.88 EUR. It answers 201.',
        'The event order-confirmed goes from the OMS to the CRM.',
        'The OMS captures the payments of the order.',
        'The OMS calls the Payment Hub to capture the payment of 30.88 EUR. It answers 200.',
      ]),
    );
    expect(sentences.find((one) => one.startsWith('The clock moves to '))).toBeDefined();
    const paid = read.steps.find(({ sentence }) => sentence.includes('of 30.88 EUR. It answers 201') && sentence.includes('authorise'));
    expect(paid).toMatchObject({
      kind: 'call',
      from: 'client',
      to: 'payment-hub',
      title: 'Authorize Payment',
      changes: ['30.88 EUR authorised'],
      outcome: 'ok',
      status: 201,
      address: 'POST /payments/authorizations',
    });
    expect(paid?.request).toContain(id);
    expect(read.steps.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'ok')).toEqual(['failed', 'refused']);
    const sentenceOf = (sentence: string) => read.steps.find((one) => one.sentence.includes(sentence));
    expect(sentenceOf('to get the member balance')?.isQuiet).toBe(true);
    expect(sentenceOf('to capture the payment')?.isQuiet).toBeUndefined();
    expect(sentenceOf('captures the payments')).toMatchObject({ kind: 'timer', from: 'oms', to: 'oms' });
    const { items } = await rehearsal.control('list-traces');
    const traces = new Set(read.steps.flatMap(({ trace }) => trace ?? []));
    expect(items.map(({ correlationId }) => correlationId)).toEqual(expect.arrayContaining([...traces]));
  });

  test('A story keeps the oldest exchanges up to its limit, and counts the others', async (rehearsal) => {
    const { id } = await rehearsal.confirmed();
    await rehearsal.settle();
    const all = await play(rehearsal, { type: 'order', id });
    const { steps, omitted } = await play(rehearsal, { type: 'order', id, limit: 3 });
    expect([steps, omitted]).toEqual([all.steps.slice(0, 3), all.steps.length - 3]);
  });

  test('A story in a fork has the events of before, as exchanges without traces', async (rehearsal) => {
    const { id } = await rehearsal.confirmed();
    await rehearsal.settle();
    const name = `${rehearsal.name}-f`;
    await rehearsal.control('create-rehearsal', { body: { name, from: { rehearsal: rehearsal.name } } });
    const reply = await rehearsal.call('read-play', { query: { type: 'order', id }, headers: { 'x-rehearsal': name } });
    const { steps } = reply.body as Play;
    expect(steps.flatMap(({ changes }) => changes)).toContain('30.88 EUR authorised');
    expect(steps.find(({ sentence }) => sentence === 'The Payment Hub publishes payment-authorized.')).toBeDefined();
    expect(steps.filter(({ trace, what }) => trace !== undefined || what !== 'event')).toEqual([]);
    await rehearsal.control('delete-rehearsal', { params: { name } });
  });
});

test('The story of a rehearsal has all its exchanges, and names a receiver that does not answer', async (rehearsal) => {
  await rehearsal.control('put-webhook', { params: { name: 'shop' }, body: { url: 'http://127.0.0.1:1/', types: ['order-created'] } });
  await rehearsal.draft();
  await rehearsal.call('get-product-api', { params: { id: 'mug-blue' }, as: 'bearer' });
  await rehearsal.settle();
  const read = await play(rehearsal);
  expect(read.name).toBe(`rehearsal ${rehearsal.name}`);
  expect(sentencesIn(read)).toEqual(
    expect.arrayContaining([
      'The estate sends order-created to your receiver “shop”. It does not answer.',
      'Your client calls the eCommerce Platform to get the product. It answers 200.',
    ]),
  );
  expect(read.steps.flatMap(({ changes }) => changes)).toContain('order draft');
});

test('The story of a new rehearsal is empty', async (rehearsal) => {
  expect(await play(rehearsal)).toMatchObject({ steps: [], omitted: 0, truncated: false });
});

test.each([
  ['an unknown type', { type: 'ordr', id: 'ord_1' }, 422, 'There is no type of object ordr; did you mean order?'],
  ['an unknown object', { type: 'return', id: 'ret_1' }, 404, 'There is no return "ret_1" in this rehearsal. It has no return yet.'],
  ['hostile text', { type: 'order', id: '<img src=x onerror=1>' }, 404, 'There is no order "<img src=x onerror=1>" in this rehearsal.'],
  ['an id without a type', { id: 'ord_1' }, 422, 'A story with ?id needs ?type too. Without both, it is the story of the rehearsal.'],
  ['a type without an id', { type: 'order' }, 422, 'A story with ?type needs ?id too. Without both, it is the story of the rehearsal.'],
  ['too many exchanges', { limit: '1001' }, 422, '?limit'],
])('A story of %s is refused with the remedy', async (rehearsal, _what, query, status, words) => {
  const reply = await rehearsal.call('read-play', { query: query as Record<string, string> });
  expect(reply.status).toBe(status);
  expect(JSON.stringify(reply.body)).toContain(JSON.stringify(words).slice(1, -1));
});

plainTest('A story of ten thousand requests keeps its limit, counts the rest, and permits a pause at each hop', async () => {
  const { scope, found, objects } = await afterLoad<Parameters<typeof playOf>[0]>();
  let permitted = 0;
  const breathe = () => {
    permitted += 1;
    return undefined;
  };
  const { steps, omitted, truncated } = await playOf(scope, { type: listedType(objects, 'order'), found, limit: 1_000 }, breathe);
  const kept = steps.length + omitted;
  expect([steps.length, kept > 1_000 && kept <= 5_000, truncated, permitted > 9 * kept]).toEqual([1_000, true, true, true]);
});
