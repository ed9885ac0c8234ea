import { describe, expect, test as plainTest } from '@jest/globals';
import type { ApiId } from '../../shared/catalog/apis.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { card, eur } from '../support/steps/tender.ts';
import { sharedIn, testIn } from '../support/test-in.ts';

const test = testIn(byHand);

const NAMED = { reference: { source: 'web-shop', id: 'gid://shop/Object/#1001' }, metadata: { campaign: 'spring', note: '' } };
const OTHER = { source: 'web-shop', id: 'other' };

interface Creation {
  readonly api: ApiId;
  readonly type: string;
  readonly body: object;
  /** A body that differs in the member. */
  readonly other: object;
  readonly differs: string;
  /** Moves the object on. @returns its present state */
  readonly move: (id: string) => Promise<string>;
}

const creations: Readonly<Record<string, (rehearsal: TestRehearsal) => Promise<Creation>>> = {
  'Create Basket': async (rehearsal) => ({
    api: 'create-basket-api',
    type: 'basket',
    body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] },
    other: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 3 }] },
    differs: 'lines',
    move: async (id) => (await rehearsal.checkedOut(id)).state,
  }),
  'Create Order': async (rehearsal) => {
    const [basketId, otherId] = [(await rehearsal.checkedOut()).id, (await rehearsal.checkedOut()).id];
    const move = async (id: string) => {
      await rehearsal.authorisation(id);
      return (await rehearsal.confirmed(id)).state;
    };
    return { api: 'create-order-api', type: 'order', body: { basketId }, other: { basketId: otherId }, differs: 'basketId', move };
  },
  'Authorize Payment': async (rehearsal) => {
    const { id: orderId } = await rehearsal.draft();
    const move = async (id: string) => (await rehearsal.api('void-payment-api', { params: { id } })).state;
    const body = { orderId, tender: card(), amount: eur(1_000) };
    return { api: 'authorize-payment-api', type: 'payment', body, other: { ...body, amount: eur(900) }, differs: 'amount', move };
  },
  'Create Return': async (rehearsal) => {
    const { id: orderId, lines } = await rehearsal.completed();
    const body = { orderId, lines: [{ orderLineId: lines[0].lineId, qty: 1, reason: 'too small' }] };
    const move = async (id: string) => {
      await rehearsal.moved(id, 'approve');
      return 'approved';
    };
    return { api: 'create-return-api', type: 'return', body, other: { ...body, resolution: 'exchange' }, differs: 'resolution', move };
  },
  'Create Customer': async (rehearsal) => ({
    api: 'create-customer-api',
    type: 'customer',
    body: { email: 'zoe@people.example', firstName: 'Zoe' },
    other: { email: 'zoe@people.example', firstName: 'Zoë' },
    differs: 'firstName',
    move: async (id) => (await rehearsal.api('log-interaction-api', { body: { customerId: id, type: 'visit' } })).state,
  }),
};

describe('References', () => {
  test.each(Object.entries(creations))(
    '%s repeated with its reference returns the existing object in its present state, a year later, too',
    async (rehearsal, _name, prepare) => {
      const { api, type, body, move } = await prepare(rehearsal);
      const create = (dryRun = false) =>
        rehearsal.call(api, { body: { ...body, ...NAMED }, ...(dryRun && { query: { dryRun: 'true' } }) } as never);
      const created = await create();
      expect(created).toMatchObject({ status: 201, body: NAMED });
      const { id } = created.body;
      expect(await create()).toMatchObject({ status: 200, body: { id, version: created.body.version } });
      const state = await move(id);
      await rehearsal.settle();
      await rehearsal.advance('P365D');
      const repeated = await create();
      expect(repeated).toMatchObject({ status: 200, body: { id, ...NAMED } });
      expect((await create(true)).body).toMatchObject({ possible: true, status: 200, unchanged: true, answer: { id } });
      expect(repeated.body).toMatchObject({ state: (await rehearsal.object(type as 'order', id)).state });
      expect(state).not.toBe(created.body.state);
      const { items } = await rehearsal.control('list-objects', { params: { type } });
      expect(items.filter((one) => one.id === id)).toHaveLength(1);
    },
  );

  test.each(Object.entries(creations))(
    '%s with the reference of another object names what differs, and creates nothing',
    async (rehearsal, _name, prepare) => {
      const { api, type, body, other, differs } = await prepare(rehearsal);
      const { id } = (await rehearsal.call(api, { body: { ...body, ...NAMED } } as never)).body;
      const count = async () => (await rehearsal.control('list-objects', { params: { type } })).items.length;
      const before = await count();
      const refusal = (more: object) => ({
        status: 409,
        body: { code: 'conflicting_repeat', objectType: type, id, reference: NAMED.reference, retryable: false, ...more },
      });
      expect(await rehearsal.call(api, { body: { ...other, ...NAMED } } as never)).toMatchObject(refusal({ differs: [differs] }));
      const { reference } = NAMED;
      expect(await rehearsal.call(api, { body: { ...body, reference, metadata: { campaign: 'summer' } } } as never)).toMatchObject(
        refusal({ differs: ['metadata'], standing: { metadata: NAMED.metadata } }),
      );
      expect(await rehearsal.call(api, { body: { ...body, reference } } as never)).toMatchObject(refusal({ differs: ['metadata'] }));
      expect(await count()).toBe(before);
    },
  );

  test.each(Object.entries(creations))('Concurrent calls of %s with one reference make one object', async (rehearsal, _name, prepare) => {
    const { api, type, body } = await prepare(rehearsal);
    const send = () => rehearsal.call(api, { body: { ...body, ...NAMED } } as never);
    const answers = await Promise.all([send(), send(), send(), send()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    const { items } = await rehearsal.control('list-objects', { params: { type }, query: { limit: 100 } });
    const named = await Promise.all(items.map(({ id }) => rehearsal.control('read-object', { params: { type, id } })));
    expect(named.filter((object) => 'reference' in object)).toHaveLength(1);
  });

  test.each(Object.entries(creations))(
    '%s without reference and metadata answers without these members',
    async (rehearsal, _name, prepare) => {
      const { api, body } = await prepare(rehearsal);
      const { status, body: created } = await rehearsal.call(api, { body } as never);
      expect([status, 'reference' in created, 'metadata' in created]).toEqual([201, false, false]);
    },
  );

  test('One reference may name an object of each type, and objects of several sources', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const pay = (source: string) =>
      rehearsal.call('authorize-payment-api', {
        body: { orderId: id, tender: card(), amount: eur(100), reference: { source, id: '1' } },
      });
    const basket = { channel: 'web', reference: { source: 'a', id: '1' } } as const;
    const answers = [await pay('a'), await pay('b'), await rehearsal.call('create-basket-api', { body: basket })];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(3);
  });

  test('Events carry the reference and the metadata of their object', async (rehearsal) => {
    const { id } = (await rehearsal.call('create-basket-api', { body: { channel: 'web', ...NAMED } })).body;
    await rehearsal.settle();
    const { items } = await rehearsal.control('list-events', { query: { type: 'basket-created' } });
    expect(items.at(-1)?.event).toMatchObject({ data: { object: { id, ...NAMED } } });
  });
});

describe('Orders with a reference', () => {
  const create = (rehearsal: TestRehearsal, body: object) => rehearsal.call('create-order-api', { body } as never);

  test('An order that exists does not take another reference or other metadata', async (rehearsal) => {
    const { id, basketId } = await rehearsal.draft();
    const standing = { reference: null, metadata: null };
    expect(await create(rehearsal, { basketId, ...NAMED })).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', id, standing },
    });
    // The refused call has not taken the reference.
    const { id: next } = await rehearsal.checkedOut();
    const named = await create(rehearsal, { basketId: next, ...NAMED });
    expect(named).toMatchObject({ status: 201, body: NAMED });
    expect(await create(rehearsal, { basketId: next })).toMatchObject({ status: 200, body: { id: named.body.id, ...NAMED } });
    expect(await create(rehearsal, { basketId: next, reference: OTHER })).toMatchObject({
      status: 409,
      body: { id: named.body.id, standing: { reference: NAMED.reference } },
    });
  });

  test('A basket that cannot become an order leaves the reference free', async (rehearsal) => {
    const open = await rehearsal.basket();
    expect(await create(rehearsal, { basketId: open.id, ...NAMED })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition' },
    });
    const { id: basketId } = await rehearsal.checkedOut();
    await rehearsal.fault('refused', { match: { api: 'convert-basket' }, fault: { kind: 'status', status: 409 }, times: 1 } as never);
    expect((await create(rehearsal, { basketId, ...NAMED })).status).toBeGreaterThanOrEqual(400);
    const other = await rehearsal.checkedOut();
    await rehearsal.advance('PT1M');
    expect(await create(rehearsal, { basketId: other.id, ...NAMED })).toMatchObject({ status: 201, body: NAMED });
  });

  test('Due work gives the reference to an order whose request was interrupted', async (rehearsal) => {
    const { id: basketId } = await rehearsal.checkedOut();
    const other = await rehearsal.checkedOut();
    await rehearsal.fault('lost', { match: { api: 'convert-basket' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await create(rehearsal, { basketId, ...NAMED })).status).toBe(504);
    // The interrupted request still owns the reference.
    expect(await create(rehearsal, { basketId: other.id, ...NAMED })).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', retryable: true },
    });
    await rehearsal.advance('PT1M');
    const { orderId } = await rehearsal.object('basket', basketId);
    expect(await rehearsal.order(orderId)).toMatchObject(NAMED);
    expect(await create(rehearsal, { basketId, ...NAMED })).toMatchObject({ status: 200, body: { id: orderId } });
    expect(await create(rehearsal, { basketId: other.id, ...NAMED })).toMatchObject({
      status: 409,
      body: { id: orderId, retryable: false },
    });
  });
});

describe('Payments and returns with a reference', () => {
  test('A declined payment is answered as declined when its request is repeated, and other content is refused', async (rehearsal) => {
    const { id: orderId } = await rehearsal.draft();
    const pay = (token: string) => rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(token), ...NAMED } });
    const declined = await pay('tok_decline_do_not_honor');
    expect(declined).toMatchObject({ status: 402, body: { code: 'payment_declined' } });
    expect(await pay('tok_decline_do_not_honor')).toMatchObject({ status: 402, body: { id: declined.body.id } });
    expect(await pay('tok_visa')).toMatchObject({ status: 409, body: { id: declined.body.id, differs: ['tender'] } });
  });

  test('A payment whose points could not be spent leaves its reference free', async (rehearsal) => {
    const { id: orderId } = await rehearsal.draft();
    const redeemed = await rehearsal.api('redeem-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 300 } });
    const pay = (tender: object) =>
      rehearsal.call('authorize-payment-api', { body: { orderId, tender, amount: eur(300), ...NAMED } } as never);
    await rehearsal.fault('down', { match: { application: 'loyalty-platform' }, fault: { kind: 'outage' } });
    expect(await pay({ type: 'loyalty', token: redeemed.redemption.id })).toMatchObject({ status: 503 });
    const paid = await pay(card());
    expect(paid).toMatchObject({ status: 201, body: NAMED });
    const { items } = await rehearsal.control('list-objects', { params: { type: 'payment' } });
    const payments = await Promise.all(items.map(({ id }) => rehearsal.object('payment', id)));
    expect(payments.filter((one) => 'reference' in one)).toMatchObject([{ id: paid.body.id }]);
  });

  test('A return that the OMS refused leaves its reference free', async (rehearsal) => {
    const { id: orderId, lines } = await rehearsal.completed();
    const announce = (qty: number) =>
      rehearsal.call('create-return-api', {
        body: { orderId, lines: [{ orderLineId: lines[0].lineId, qty, reason: 'too small' }], ...NAMED },
      });
    expect(await announce(9)).toMatchObject({ status: 409, body: { code: 'return_quantity_exceeded' } });
    expect(await announce(1)).toMatchObject({ status: 201, body: NAMED });
  });

  test('A repeat with another key continues a return that the OMS did not answer', async (rehearsal) => {
    const { id: orderId, lines } = await rehearsal.completed();
    const announce = (qty: number) =>
      rehearsal.call('create-return-api', {
        body: { orderId, lines: [{ orderLineId: lines[0].lineId, qty, reason: 'too small' }], ...NAMED },
      });
    await rehearsal.fault('lost', { match: { api: 'book-return' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await announce(1)).status).toBe(504);
    expect(await announce(2)).toMatchObject({ status: 409, body: { code: 'conflicting_repeat', retryable: true, differs: ['lines'] } });
    const { status, body } = await announce(1);
    expect([status, body.lines.map(({ qty }: { qty: number }) => qty)]).toEqual([201, [1]]);
    expect((await rehearsal.order(orderId)).returns).toMatchObject([{ id: body.id }]);
  });
});

test('The control plane changes the metadata of a customer, and not the reference', async (rehearsal) => {
  const body = { email: 'zoe@people.example', firstName: 'Zoe', ...NAMED };
  const { id } = (await rehearsal.call('create-customer-api', { body })).body;
  await rehearsal.control('change-customer-by-hand', { params: { id }, body: { metadata: { campaign: 'autumn', note: null } } });
  expect(await rehearsal.object('customer', id)).toMatchObject({ reference: NAMED.reference, metadata: { campaign: 'autumn' } });
  const other = rehearsal.control('change-customer-by-hand', { params: { id }, body: { reference: OTHER } as never });
  await expect(other).rejects.toThrow('/reference');
  // The content of the first call counts.
  expect(await rehearsal.call('create-customer-api', { body })).toMatchObject({
    status: 200,
    body: { id, metadata: { campaign: 'autumn' } },
  });
});

describe('References of customers in own data', () => {
  const row = (id: string, reference: object) => ({
    id,
    state: 'registered',
    email: `${id}@people.example`,
    firstName: 'Zoe',
    addresses: [],
    interactions: [],
    consents: { emailMarketing: false, smsMarketing: false, profiling: false },
    reference,
  });

  plainTest('Create Customer with the reference of a customer of the initial data names this customer', async () => {
    await using rehearsal = await newRehearsal(undefined, { customers: [row('cus_zoe', NAMED.reference)] });
    const body = { email: 'other@people.example', firstName: 'Zoe', reference: NAMED.reference };
    expect(await rehearsal.call('create-customer-api', { body })).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', id: 'cus_zoe' },
    });
    await rehearsal.verify();
  });

  plainTest('Own data with two customers of one reference are refused', async () => {
    const customers = [row('cus_zoe', NAMED.reference), row('cus_zac', NAMED.reference)];
    await expect(newRehearsal(undefined, { customers })).rejects.toThrow('The customer "cus_zoe" has the same one');
  });
});

plainTest('A real Payment Hub gets the reference and the metadata of Authorize Payment', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url } });
  const { id: orderId } = await rehearsal.draft();
  await rehearsal.api('authorize-payment-api', { body: { orderId, tender: card(), amount: eur(1_000), ...NAMED } });
  const sent = hub.received.find(({ path }) => path === '/payments/authorizations');
  expect(JSON.parse(sent?.text ?? '{}')).toMatchObject({ orderId, ...NAMED });
  await rehearsal.verify();
});

const shared = sharedIn(() => newRehearsal());

describe('Values of references and metadata', () => {
  const basket = (more: object) => shared.call('create-basket-api', { body: { channel: 'web', ...more } } as never);
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`m${index}`, '']));
  test.each([
    ['a reference without its source', { reference: { id: '1' } }, '/reference/source'],
    ['an empty id', { reference: { source: 'shop', id: '' } }, '/reference/id'],
    ['a blank in an id', { reference: { source: 'shop', id: 'a b' } }, '/reference/id'],
    ['a control character', { reference: { source: 'shop', id: 'a\n' } }, '/reference/id'],
    ['an id of 101 characters', { reference: { source: 'shop', id: 'x'.repeat(101) } }, '/reference/id'],
    ['a further member of a reference', { reference: { source: 'shop', id: '1', type: 'order' } }, '/reference/type'],
    ['21 members of metadata', { metadata: many }, '/metadata'],
    ['a number in metadata', { metadata: { seats: 4 } }, '/metadata/seats'],
    ['a list as metadata', { metadata: ['a'] }, '/metadata'],
    ['a value of 501 characters', { metadata: { note: 'x'.repeat(501) } }, '/metadata/note'],
    ['a name of 41 characters', { metadata: { ['x'.repeat(41)]: '' } }, `/metadata/${'x'.repeat(41)}`],
  ])('Create Basket refuses %s', async (_scene, _name, more, pointer) => {
    expect(await basket(more)).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } });
  });

  test('Create Basket refuses metadata with the name __proto__', async () => {
    const body = '{"channel":"web","metadata":{"__proto__":"a"}}';
    expect(await shared.call('create-basket-api', { body: JSON.parse(body) } as never)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/metadata/__proto__' }] },
    });
  });
});
