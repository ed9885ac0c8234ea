import { expect, test } from '@jest/globals';
import { readConfiguration } from '../../estate/configuration.ts';
import { configuredSwaps } from '../../estate/configured-swaps.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { aFolder } from '../support/folder.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';

async function headersFile(text: string) {
  const folder = await aFolder();
  return { ...folder, file: await folder.write('headers', text) };
}

test('The variables of swaps are refused with all mistakes, each with its variable and without header values', async () => {
  await using written = await headersFile('Authorization: Bearer our-secret\nno header\nX-Estate-Token: mine\n');
  const given = {
    SWAP_CRM_URL: 'crm',
    SWAP_CRM_MODE: 'unreal',
    SWAP_CRM_TIMEOUT_MS: 'soon',
    SWAP_CRM_KEEP: 'yes',
    SWAP_CRM_SHADOW: 'writes',
    SWAP_CRM_COMPARE: 'firstName,,',
    SWAP_PAYMENT_HUB_URL: 'https://hub.test',
    SWAP_PAYMENT_HUB_HEADERS_FILE: written.file,
    SWAP_WMS_URL: 'https://wms.test',
    SWAP_WMS_HEADERS_FILE: '/nowhere',
    SWAP_POS_EVENTS: 'none',
  };
  const mistakes = (): unknown => configuredSwaps(readConfiguration(given));
  for (const sentence of [
    ...['URL', 'MODE', 'TIMEOUT_MS', 'KEEP', 'SHADOW', 'COMPARE'].map((setting) => `SWAP_CRM_${setting} cannot be used: `),
    'SWAP_CRM_TIMEOUT_MS cannot be used: This must be a whole number, not text.',
    'SWAP_CRM_KEEP cannot be used: This must be true or false, not text.',
    'line 2 is not a header like Name: value.',
    'SWAP_PAYMENT_HUB_HEADERS_FILE has the header X-Estate-Token cannot be used: The estate sets this header itself.',
    'SWAP_WMS_HEADERS_FILE=/nowhere cannot be read: the file does not exist.',
    'SWAP_POS_EVENTS needs SWAP_POS_URL: set the address, or remove it.',
  ]) {
    expect(mistakes).toThrow(sentence);
  }
  expect(mistakes).not.toThrow('our-secret');
});

test.each([
  ['SWAP_OMS_URL', 'oms cannot be swapped'],
  ['SWAP_PAYMENT_HUBB_URL', 'did you mean SWAP_PAYMENT_HUB_URL?'],
  ['SWAP_SHOP_URL', 'the application shop does not exist. These can be: '],
  ['SWAP_CRM_ADDRESS', 'variables with SWAP_ are SWAP_<APPLICATION>_URL'],
])('The configuration refuses %s: %s', (variable, sentence) =>
  expect(() => readConfiguration({ [variable]: 'https://oms.test' })).toThrow(`${variable} is not a variable of the estate; ${sentence}`),
);

test.each(['http://localhost:18080', 'http://127.0.0.1:18080/hub', 'http://estate.test:18080'])(
  'The address of the gateway, %s, cannot be the address of a real system',
  (SWAP_CRM_URL) => {
    const given = { SWAP_CRM_URL, GATEWAY_PORT: '18080', HOST: 'estate.test' };
    expect(() => configuredSwaps(readConfiguration(given))).toThrow('SWAP_CRM_URL cannot be used: The estate listens there itself.');
  },
);

test('The variables of a swap set what is kept, shadowed and compared', () => {
  const given = { SWAP_CRM_URL: 'https://crm.test', SWAP_CRM_MODE: 'shadow', SWAP_CRM_KEEP: 'true', SWAP_CRM_SHADOW: 'reads' };
  expect(configuredSwaps(readConfiguration({ ...given, SWAP_CRM_COMPARE: 'firstName, createdAt' })).crm).toMatchObject({
    mode: 'shadow',
    keep: true,
    shadow: 'reads',
    compare: ['firstName', 'createdAt'],
  });
});

test('The variables of a swap apply to every new rehearsal, and their address needs no permission, unlike the address in a request', async () => {
  await using hub = await startPaymentHub();
  await using written = await headersFile('Authorization: Bearer our-secret\n');
  const swap = { SWAP_PAYMENT_HUB_URL: hub.url, SWAP_PAYMENT_HUB_HEADERS_FILE: written.file };
  await using estate = await anObservedEstate({ ...swap, OUTBOUND_ALLOW: 'public' });
  const { gateway } = estate.running;
  for (const round of [1, 2]) {
    const rehearsal = await rehearsalAt(gateway);
    if (round === 2) await rehearsal.control('reset-rehearsal');
    const order = await rehearsal.draft();
    await rehearsal.authorisation(order.id, order.totals.total.amount);
    expect(hub.received.at(-1)?.headers.authorization).toBe('Bearer our-secret');
    const { items } = await rehearsal.control('list-swaps');
    expect(items).toMatchObject([{ application: 'payment-hub', from: 'variables', headers: ['Authorization'] }]);
  }
  const requested = rehearsalAt(gateway, undefined, undefined, { 'payment-hub': { url: hub.url } });
  await expect(requested).rejects.toThrow('OUTBOUND_ALLOW');
  expect(hub.effects()).toBe(2);
});
