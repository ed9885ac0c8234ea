import fc from 'fast-check';
import type { PlainReply as Reply } from '../../support/plain-client.ts';
import { about, eur, kind, note, of, type Things } from './running-history.ts';

function noteRedemption(things: Things, { status, body }: Reply, orderId?: string): void {
  if (status < 300) things.redemptions.push({ id: body.redemption.id, value: body.redemption.value.amount, orderId });
}

const points = fc.constantFrom(1, 50, 200, 600);

export const people = {
  register: kind({ number: fc.nat(3), byPhone: fc.boolean() }, async ({ ask, things }, { number, byPhone }) => {
    const reached = byPhone ? { phone: `+35391555020${number}` } : { email: `customer-${number}@people.example` };
    note(things.customers, await ask('create-customer-api', { body: { ...reached, firstName: 'Casey', lastName: `Number ${number}` } }));
  }),
  search: kind({ q: fc.constantFrom('ada', 'Casey', 'nobody') }, ({ ask }, { q }) => ask('search-customer-api', { query: { q } })),
  consult: kind({ of }, ({ ask, things }, given) =>
    about(things.customers, given.of, async (id) => {
      await ask('get-customer-api', { params: { id } });
      await ask('get-customer-360-api', { params: { id } });
    }),
  ),
  meet: kind({ of, type: fc.constantFrom('visit', 'styling-session', 'callback') }, ({ ask, things }, { of: which, type }) =>
    about(things.customers, which, (customerId) => ask('log-interaction-api', { body: { customerId, type, note: 'Prefers oak.' } })),
  ),
  block: kind({ of, verb: fc.constantFrom('block', 'unblock', 'unblock') }, ({ play, things }, { of: which, verb }) =>
    about(things.customers, which, (id) => play('POST', `customers/${id}/${verb}`)),
  ),
  enrol: kind({ of }, ({ ask, things }, given) =>
    about(things.customers, given.of, async (customerId) =>
      note(things.accounts, await ask('enroll-loyalty-member-api', { body: { customerId } })),
    ),
  ),
  balance: kind({ of }, ({ ask, things }, given) =>
    about(things.accounts, given.of, async (id) => {
      await ask('get-member-balance-api', { params: { id } });
      await ask('list-ledger-entries-api', { params: { id } });
    }),
  ),
  issue: kind({ of, points, reference: fc.nat(2) }, ({ ask, things }, given) =>
    about(things.accounts, given.of, (id) =>
      ask('issue-loyalty-points-api', {
        params: { id },
        body: { points: given.points, reason: 'late', reference: `case-${given.reference}` },
      }),
    ),
  ),
  /** For the worth of the order, or for another amount. */
  earn: kind({ of, order: of, wrong: fc.boolean() }, ({ ask, things }, given) =>
    about(things.accounts, given.of, (id) =>
      about(things.orders, given.order, async (orderId) => {
        const { body } = await ask('get-order-api', { params: { id: orderId } });
        const worth = body.earningAmount?.amount ?? 0;
        await ask('earn-points-api', { params: { id }, body: { orderId, amount: eur(given.wrong || worth === 0 ? 100 : worth) } });
      }),
    ),
  ),
  redeem: kind({ of, order: of, points }, ({ ask, things }, given) =>
    about(things.accounts, given.of, (id) =>
      about(things.orders, given.order, async (orderId) =>
        noteRedemption(things, await ask('redeem-points-api', { params: { id }, body: { points: given.points, orderId } }), orderId),
      ),
    ),
  ),
  'redeem-at-crm': kind({ of, points }, ({ ask, things }, given) =>
    about(things.accounts, given.of, async (id) =>
      noteRedemption(things, await ask('redeem-loyalty-points-api', { params: { id }, body: { points: given.points } })),
    ),
  ),
};
