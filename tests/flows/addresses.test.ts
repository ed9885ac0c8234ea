import { expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { sharedIn } from '../support/test-in.ts';

const rehearsal = sharedIn(newRehearsal);

/** Checks out a new basket to an address, which may be wrong. */
async function checkOutTo(shippingAddress?: Readonly<Record<string, unknown>>) {
  const { id } = await rehearsal.basket();
  return rehearsal.call('POST', `/baskets/${id}/checkout`, { shippingAddress });
}

test('Checkout Basket stores every line of an address, with the phone in E.164', async () => {
  const full = { ...ADDRESS, line2: ' Apartment 4 ', region: 'County Galway', phone: '+353 (0)91 555 0101' };
  const { status, body } = await checkOutTo(full);
  expect(status).toBe(200);
  expect(body.shippingAddress).toEqual({ ...full, line2: 'Apartment 4', phone: '+353915550101' });
});

test('A checkout repeated with another second line changes the address', async () => {
  const basket = await rehearsal.basket();
  for (const line2 of ['Floor 1', 'Floor 2', undefined]) {
    const { body } = await rehearsal.call('POST', `/baskets/${basket.id}/checkout`, { shippingAddress: { ...ADDRESS, line2 } });
    expect(body.shippingAddress.line2).toBe(line2);
  }
});

test('A first checkout without an address is refused', async () => {
  const { status, body } = await checkOutTo();
  expect([status, body.errors]).toMatchObject([422, [{ pointer: '/shippingAddress', code: 'required' }]]);
});

test('An address in a country without postal codes needs none', async () => {
  const { postalCode: _, ...without } = ADDRESS;
  expect((await checkOutTo({ ...without, city: 'Dubai', country: 'AE' })).status).toBe(200);
  expect((await checkOutTo({ ...ADDRESS, city: 'Dubai', postalCode: '00000', country: 'AE' })).status).toBe(200);
});

test('An address is refused with all of its mistakes, the missing postal code included', async () => {
  const { body } = await checkOutTo({ name: ' \t ', line1: ' ', line2: '', city: '\t', region: ' ', country: 'IE', phone: '091 555' });
  const found = Object.fromEntries(
    body.errors.map(({ pointer, code, detail }: { pointer: string; code: string; detail: string }) => [pointer.slice(17), [code, detail]]),
  );
  expect(found).toMatchObject({
    name: ['too_small', 'This must not be empty.'],
    line1: ['too_small', 'This must not be empty.'],
    line2: ['too_small', 'This must not be empty.'],
    city: ['too_small', 'This must not be empty.'],
    region: ['too_small', 'This must not be empty.'],
    postalCode: ['required', 'This member is required: the country has postal codes.'],
    phone: [expect.anything(), expect.stringContaining('E.164')],
  });
});

test.each([
  ['UK', 'such as GB for United Kingdom'],
  ['EL', 'such as GR for Greece'],
  ['ie', 'such as IE for Ireland'],
  ['Netherlands', 'such as NL for Netherlands'],
  ['EU', 'such as IE'],
  ['XK', 'such as IE'],
  ['', 'such as IE'],
])('The country "%s" is refused: %s', async (country, remedy) => {
  const { status, body } = await checkOutTo({ ...ADDRESS, country });
  const detail = `This must be a country of ISO 3166-1, ${remedy}.`;
  expect([status, body.errors]).toMatchObject([422, [{ pointer: '/shippingAddress/country', code: 'unknown_country', detail }]]);
});
