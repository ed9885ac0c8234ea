import { expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { requestMembers } from './request-members.ts';

const currencies = requestMembers.filter(({ pointer }) => /(^|\/)currency$/.test(pointer));

/** A body with this member only. Missing members do not affect the asserted error. */
const bodyWith = (pointer: string, currency: string): unknown =>
  pointer.split('/').reduceRight<unknown>((inner, name) => (name === '0' ? [inner] : { [name]: inner }), currency);

test('The currencies of requests are found in the catalog', () => {
  const expected = [
    'create-basket-api currency',
    'evaluate-promotions-api lines/0/unitPrice/currency',
    'validate-voucher-api amount/currency',
  ];
  expect(currencies.map(({ api, pointer }) => `${api.id} ${pointer}`)).toEqual(expect.arrayContaining(expected));
});

test.each(currencies)('The currency in $pointer of $api.id is refused unless it is EUR', async ({ api, pointer }) => {
  await using rehearsal = await newRehearsal();
  const path = api.path.replaceAll(/\{\w+\}/g, 'none');
  const send = async (currency: string) => (await rehearsal.call(api.method, path, bodyWith(pointer, currency))).body.errors ?? [];
  const refusal = { pointer: `/${pointer}`, code: 'unsupported_currency' };
  const unknown = { ...refusal, detail: 'This must be a currency of ISO 4217 with 0, 2 or 3 decimals, such as EUR, JPY or BHD.' };
  for (const currency of ['ZZZ', 'CLF', 'eur', '']) expect(await send(currency)).toContainEqual(unknown);
  const foreign = { ...refusal, detail: 'This must be EUR, the currency of this rehearsal.' };
  for (const currency of ['USD', 'JPY', 'BHD']) expect(await send(currency)).toContainEqual(foreign);
  expect(await send('EUR')).not.toContainEqual(expect.objectContaining({ pointer: refusal.pointer }));
});
