import { expect } from '@jest/globals';
import { callOfApi } from '../../rehearsal/estate-client.ts';
import { type ApiId, apis } from '../../shared/catalog/apis.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import { crashesDuring, type OneRequest } from '../support/each-crash.ts';
import { type CrashSteps, crashSteps } from '../support/steps/crash-steps.ts';
import { givenOrder } from '../support/steps/given.ts';
import { card, eur } from '../support/steps/tender.ts';

/** A client names its object, a process is killed, and the client repeats the call with another key: there is one object. */

const NAMED = { reference: { source: 'web-shop', id: '#1001' }, metadata: { campaign: 'spring' } };

type Row = readonly [api: ApiId, killed: readonly Application[], prepare: (steps: CrashSteps) => Promise<object>, how?: string];

const rows: readonly Row[] = [
  ['create-basket-api', ['ecommerce-platform', 'crm'], async () => ({ channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] })],
  ['create-order-api', ['oms', 'ecommerce-platform'], async (steps) => ({ basketId: (await steps.checkedOut()).id })],
  [
    'create-order-api',
    ['oms', 'sim', 'inventory-service', 'crm'],
    async () => {
      const { reference: _reference, ...given } = givenOrder('#1001', { customerId: undefined, contact: { email: 'zoe@people.example' } });
      return given;
    },
    'with given prices',
  ],
  ['authorize-payment-api', ['payment-hub'], async (steps) => ({ orderId: (await steps.draft()).id, tender: card(), amount: eur(1_000) })],
  [
    'create-return-api',
    ['fms', 'oms'],
    async (steps) => {
      const { id, totals } = await steps.sale({ lines: [{ sku: 'mug-blue', qty: 1 }] });
      await steps.pay(id, card(), totals.total.amount);
      await steps.settle();
      const { lines } = await steps.order(id);
      return { orderId: id, lines: lines.map(({ lineId }) => ({ orderLineId: lineId, qty: 1, reason: 'too small' })) };
    },
  ],
  ['create-customer-api', ['crm'], async () => ({ email: 'zoe@people.example', firstName: 'Zoe' })],
];

crashesDuring<OneRequest>(
  Object.fromEntries(
    rows.map(([api, killed, prepare, how]) => [
      how === undefined ? apis[api].name : `${apis[api].name} ${how}`,
      {
        killed,
        prepare: async (estate) => {
          const { method, path, body } = callOfApi(api, { body: { ...(await prepare(crashSteps(estate))), ...NAMED } } as never);
          return { application: apis[api].application, method, path, body };
        },
        end: async (estate, { application, method, path, body }, insists) => {
          const repeat = (key: string) => estate.insist(application, method, path, body, key);
          const first = await repeat('another');
          expect([insists ? 200 : first.status, first.body]).toMatchObject([first.status, NAMED]);
          expect(await repeat('a third')).toMatchObject({ status: 200, body: { id: first.body.id, ...NAMED } });
          expect(await estate.settle()).toMatchObject({ settled: true });
          const found = (await estate.verify()).find(({ id }) => id === 'references');
          expect(found).toMatchObject({ holds: true, checked: 2 });
        },
      },
    ]),
  ),
);

const given = givenOrder('#1002');
const givenOtherwise = givenOrder('#1002', { shipping: eur(433), total: eur(4_786) });

crashesDuring<OneRequest>({
  'Create Order with a reference that stays free without an order': {
    killed: ['oms', 'sim', 'inventory-service'],
    prepare: async () => {
      const { method, path, body } = callOfApi('create-order-api', { body: given });
      return { application: 'oms', method, path, body };
    },
    end: async (estate, { application, method, path }) => {
      const listed = await estate.insist(application, 'GET', `${path}?referenceSource=web-shop&referenceId=%231002`, undefined, 'listing');
      const isTaken = listed.body.items.length === 1;
      const { status } = await estate.insist(application, method, path, givenOtherwise, 'other prices');
      expect(status).toBe(isTaken ? 409 : 201);
    },
  },
});
