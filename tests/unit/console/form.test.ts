import { expect, test } from '@jest/globals';
import { playedBy } from '../../../control/objects/played.ts';
import { objects } from '../../../shared/catalog/objects.ts';
import { apiOfVerb, operationOfVerb } from '../../../shared/catalog/verb-apis.ts';
import { forms } from '../../../ui/objects/catalog.ts';
import { bodyOf, fieldAt, formOf } from '../../../ui/objects/form.ts';

const membersOf = (id: string) => forms[id]?.members ?? [];
const eur = (amount: number) => ({ amount, currency: 'EUR' });

test('A form without hints has the texts and numbers of the input, and neither its ids nor its statuses', () => {
  const body = { status: 'short', lines: [{ orderLineId: 'line_1', pickedQty: 0 }] };
  const fields = formOf(membersOf('update-picking-status-api'), { input: { params: {}, body } });
  expect(fields).toMatchObject([{ name: 'lines/0/pickedQty', label: 'Picked qty', value: '0', number: { least: 0, most: 9_999 } }]);
  expect(bodyOf(fields, { 'lines/0/pickedQty': '2' }, { params: {}, body })).toEqual({
    status: 'short',
    lines: [{ orderLineId: 'line_1', pickedQty: 2 }],
  });
});

test('An amount has the decimals of its currency, and is at most the amount of the input', () => {
  const body = { amount: { amount: 1_234, currency: 'BHD' } };
  const [field, ...others] = formOf(membersOf('capture-payment-api'), {
    input: { params: {}, body },
    fields: { amount: { isAtMostInput: true } },
  });
  expect([field, others]).toMatchObject([{ value: '1.234', number: { least: 1, most: 1_234, decimals: 3 }, isOptional: true }, []]);
  expect(bodyOf(field ? [field] : [], { amount: '0.5' }, { params: {}, body })).toEqual({ amount: { amount: 500, currency: 'BHD' } });
});

test('A form leaves out what belongs to another choice, empty texts, and entries without units', () => {
  const pay = { params: {}, body: { orderId: 'ord_1', tender: { type: 'card', token: 'tok_visa' }, amount: eur(500) } };
  const ofCards = { onlyWith: { at: 'tender/type', is: ['card'] } };
  const tender = formOf(membersOf('authorize-payment-api'), { input: pay, fields: { 'tender/type': {}, 'tender/token': ofCards } });
  expect(tender[0]?.choices?.map(([word]) => word)).toEqual(['card', 'gift-card', 'bnpl', 'loyalty', 'external']);
  expect(JSON.parse(JSON.stringify(bodyOf(tender, { 'tender/type': 'bnpl' }, pay)))).toEqual({ ...pay.body, tender: { type: 'bnpl' } });
  const lines = [
    { orderLineId: 'a', qty: 2 },
    { orderLineId: 'b', qty: 1 },
  ];
  const units = { least: 0, isAtMostInput: true } as const;
  const back = { params: {}, body: { lines } };
  const fields = formOf(membersOf('create-return-api'), {
    input: back,
    fields: { 'lines/0/qty': units, 'lines/1/qty': units, 'lines/*/reason': { value: ' ' } },
  });
  expect(bodyOf(fields, { 'lines/0/qty': '0' }, back)).toEqual({ lines: [{ orderLineId: 'b', qty: 1, reason: undefined }] });
});

test('An error about a part of a request belongs to its field, else to the first field within the part', () => {
  const input = { params: {}, body: { lines: [{ qty: 1 }] } };
  const fields = formOf(membersOf('create-return-api'), { input, fields: { 'lines/0/qty': {}, 'lines/*/reason': {}, dropOff: {} } });
  expect(['/lines', '/lines/0/qty', '/lines/0/reason', '/dropOff', '/orderId', ''].map((pointer) => fieldAt(fields, pointer))).toEqual([
    'lines/0/qty',
    'lines/0/qty',
    'lines/*/reason',
    'dropOff',
    '/orderId',
    '',
  ]);
});

test('Every verb with an API or a played operation has a form', () => {
  const calls = objects.flatMap(({ type, lifeCycle }) =>
    (lifeCycle?.rows ?? []).flatMap(({ verb, from }) =>
      from.some((state) => state !== null) ? [apiOfVerb(type, verb) ?? playedBy(type, verb) ?? operationOfVerb(type, verb)] : [],
    ),
  );
  expect(calls.filter((id) => id !== undefined && forms[id] === undefined)).toEqual([]);
});

test('A hint for a place that the request does not have is refused', () => {
  const input = { params: {}, body: {} };
  expect(() => formOf(membersOf('refund-payment-api'), { input, fields: { 'amount/amount': {} } })).toThrow(
    'The request has no member amount/amount.',
  );
});
