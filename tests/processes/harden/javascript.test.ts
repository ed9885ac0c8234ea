import { expect, test } from '@jest/globals';
import { consumers, inFineWeather, inNode, type Played, type Shown, withMisfortune } from './playing.ts';

const ORDER = 'javascript/sound-order.mjs';
const COPY = 'javascript/sound-order-copy.mjs';

const ordersOf = async ({ rehearsal }: Played) => (await rehearsal.api('list-orders-api', { query: { customerId: 'cus_ada' } })).items;
const confirmed = async (played: Played) => (await ordersOf(played)).filter(({ state }) => state === 'confirmed').length;
const issued = async ({ rehearsal }: Played, reason: string) => {
  const { items } = await rehearsal.api('list-ledger-entries-api', { params: { id: 'loy_ada' } });
  return items.filter((entry) => entry.reason === reason).length;
};
const firstAnswer = async ({ rehearsal }: Played) => {
  const { items } = await rehearsal.control('list-webhook-deliveries', { params: { name: 'copy' } });
  return items.at(-1)?.attempts[0]?.status;
};

const shown: readonly Shown[] = [
  {
    file: 'javascript/welcome-points.mjs',
    sibling: ORDER,
    effect: async (played) => (await issued(played, 'welcome')) + (await issued(played, 'review')),
    mistaken: 2,
    sound: 1,
  },
  { file: 'javascript/phone-order.mjs', sibling: ORDER, effect: confirmed, mistaken: 2, sound: 1 },
  {
    file: 'javascript/thank-you-page.mjs',
    sibling: ORDER,
    effect: async (played) => [played.code, await confirmed(played)],
    mistaken: [0, 0],
    sound: [0, 1],
  },
  {
    file: 'javascript/order-export.mjs',
    sibling: ORDER,
    earlier: (rehearsal) => rehearsal.draft(),
    effect: async (played) => {
      const listed = (played.view.orders ?? Object.keys(played.view)).length;
      return [played.code, listed === 1 ? 'one' : listed === (await ordersOf(played)).length ? 'all' : listed];
    },
    mistaken: [0, 'one'],
    sound: [0, 'all'],
  },
  {
    file: 'javascript/checkout-timer.mjs',
    sibling: ORDER,
    // Goods are reserved for 15 minutes.
    effect: async ({ view, rehearsal }) => Date.parse(view.reservedUntil) - (await rehearsal.now()) <= 900_000,
    mistaken: false,
    sound: true,
  },
  {
    file: 'javascript/member-order.mjs',
    sibling: ORDER,
    beside: { call: /points$/, when: 'before', happens: (rehearsal) => rehearsal.advance('PT1H') },
    effect: async (played) => [played.code, (await ordersOf(played)).length, await issued(played, 'review')],
    mistaken: [1, 1, 0],
    sound: [0, 1, 1],
  },
  {
    file: 'javascript/sales-board.mjs',
    sibling: COPY,
    effect: async ({ view }) => view.mails?.length ?? view['mug-blue'],
    // Three were ordered, the first one alone.
    mistaken: 4,
    // One when the order arrives, and one when it is confirmed.
    sound: 2,
  },
  { file: 'javascript/mail-outbox.mjs', sibling: COPY, effect: firstAnswer, mistaken: 204, sound: 401 },
];

test.each(consumers.filter(({ file }) => file.startsWith('javascript/')))('$file ends well in fine weather', async ({ file }) => {
  expect(await inFineWeather(inNode, file)).toEqual({ ended: 'well', hasView: true, holds: true });
});

test.each(shown)('$file shows its mistake in bad weather, and $sibling is right', async (one) => {
  const [mistaken, sound] = await Promise.all([withMisfortune(inNode, one.file, one), withMisfortune(inNode, one.sibling, one)]);
  expect({ mistaken, sound }).toEqual({ mistaken: one.mistaken, sound: one.sound });
});
