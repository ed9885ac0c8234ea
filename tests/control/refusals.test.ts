import { expect, test } from '@jest/globals';
import type { CalledId } from '../../rehearsal/call-types.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { sharedIn } from '../support/test-in.ts';

const rehearsal = sharedIn(newRehearsal);

interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}
/** A request, where its mistake is, its code if the mistake is not in the form, and the remedy. */
type Row = readonly [id: CalledId, input: Input, place: string, code: string, remedy: RegExp];

const FORM = 'validation_failed';
const TYPES = /The types are basket, .*order, payment\.$/;
const SCENARIOS = new RegExp(`There are ${scenarios.map(({ name }) => name).join(', ')}`);
const inSequence = (step: object): Input => ({ body: { sequence: [step] } });

const percentOff = (skus: readonly unknown[]): Input => ({ params: { id: 'prm_woolly-ridge-15' }, body: { percent: 5, skus } });

const rows: readonly Row[] = [
  ['list-traces', { query: { limit: '0' } }, '?limit', FORM, /1/],
  ['list-traces', { query: { status: 'bad' } }, '?status', FORM, /ok/],
  ['list-traces', { query: { application: 'nobody' } }, '?application', FORM, /oms/],
  ['list-traces', { query: { api: 'create-baskt-api' } }, '?api', 'unknown_api', /choose one of .*create-basket-api, .*event:<name>/],
  ['list-traces', { query: { object: 'ordr/ord_1' } }, '?object', 'unknown_object', TYPES],
  ['list-traces', { query: { object: 'order' } }, '?object', 'unknown_object', /^"order" is not an object/],
  ['list-events', { query: { subject: 'paymnt/pay_1' } }, '?subject', 'unknown_object', TYPES],
  ['list-events', { query: { subject: 'payment/' } }, '?subject', 'unknown_object', /^"payment\/" is not an object/],
  ['list-events', { query: { type: 'order-confirmed', subject: 'payment/1' } }, '?subject', 'other_subject', /must be "order\/<id>";/],
  ['wait-for-events', { body: { type: 'order-confirmed', subject: 'ordr/1' } }, '/subject', 'other_subject', /must be "order\/<id>";/],
  ['search', { query: { q: '' } }, '?q', FORM, /empty/],
  ['search', { query: { q: 'x'.repeat(161) } }, '?q', FORM, /160/],
  ['list-objects', { params: { type: 'teapot' } }, '{type}', FORM, /fulfillment-order.*inventory-item/],
  ['list-objects', { params: { type: 'basket' }, query: { state: 'lost' } }, '?state', FORM, /open, locked, converted/],
  ['list-objects', { params: { type: 'loyalty-account' }, query: { state: 'open' } }, '?state', FORM, /leave the filter out/],
  ['read-object', { params: { type: 'teapot', id: 'any' } }, '{type}', FORM, /fulfillment-order/],
  ['list-stock', { query: { sku: 'mug-none' } }, '?sku', FORM, /without sku/],
  ['list-stock', { query: { location: 'moon' } }, '?location', FORM, /dc-01/],
  ['list-stock', { query: { after: 'mug-blue|moon' } }, '?after', FORM, /member "next"/],
  ['list-stock', { query: { sku: 'mug-blue', after: 'mug-red|dc-01' } }, '?after', FORM, /member "next"/],
  ['verify-sequence', inSequence({ what: 'call', name: 'create-ordr-api' }), '/sequence/0/name', FORM, /did you mean create-order-api\?/],
  ['verify-sequence', inSequence({ what: 'event', name: 'order-confirm' }), '/sequence/0/name', FORM, /did you mean order-confirmed\?/],
  ['verify-sequence', inSequence({ what: 'cal', name: 'x' }), '/sequence/0/what', FORM, /^This must be one of /],
  ['start-run', { body: { scenario: 'digital-ordr' } }, '', 'not_found', /Did you mean "digital-order"\?/],
  ['start-run', { body: { scenario: 'no scenario at all' } }, '', 'not_found', SCENARIOS],
  ['export-rehearsal', { params: { name: 'none' } }, '', 'unknown_rehearsal', /none/],
  ['change-promotion-by-hand', percentOff([{}]), '/skus/0', FORM, /text|string/],
  ['change-promotion-by-hand', percentOff(['mug-none']), '/skus/0', 'unknown_sku', /mug-none/],
  ['change-product-by-hand', { params: { id: 'nothing' }, body: { name: 'Another' } }, '', 'not_found', /nothing/],
];

test.each(rows)('%s is refused with place and remedy: %j', async (id, input, place, code, remedy) => {
  const { status, body } = await rehearsal.call(id, input as never);
  const [mistake = {}] = body.errors ?? [];
  expect([status, body.code]).toEqual(place ? [422, FORM] : [404, code]);
  if (place) expect(mistake.pointer).toBe(place);
  if (place && code !== FORM) expect(mistake.code).toBe(code);
  expect(mistake.detail ?? body.detail).toMatch(remedy);
});

test('The page of a payment and its decisions refuse other methods with the methods that they allow', async () => {
  await using one = await newRehearsal();
  const { id } = await one.draft();
  const { nextAction } = await one.authorisation(id, undefined, 'tok_3ds');
  const refusedAt = async (method: string, path: string) => {
    const { status, headers } = await fetch(estate.gateway + path, { method, redirect: 'manual' });
    return [method, status, headers.get('allow')];
  };
  const path = new URL(nextAction?.url ?? '', estate.gateway).pathname;
  for (const method of ['PUT', 'DELETE', 'PATCH', 'POST']) expect(await refusedAt(method, path)).toEqual([method, 405, 'GET, HEAD']);
  for (const method of ['PUT', 'DELETE', 'GET']) expect(await refusedAt(method, `${path}/approve`)).toEqual([method, 405, 'POST']);
  expect(await refusedAt('POST', `${path}/ponder`)).toEqual(['POST', 404, null]);
});
