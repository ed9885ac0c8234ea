import { asItIs, confirmed, firstAnswer, issued, ordersOf, testConsumers } from './playing.ts';

const ORDER = 'javascript/sound-order.mjs';
const COPY = 'javascript/sound-order-copy.mjs';

testConsumers('javascript', asItIs, [
  {
    file: 'javascript/welcome-points.mjs',
    sibling: ORDER,
    effect: (played) => issued(played),
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
      const { orders } = played.view;
      const listed = Array.isArray(orders) ? orders.length : orders;
      return [played.code, listed - (await ordersOf(played)).length];
    },
    // Of four orders, one is listed.
    mistaken: [0, -3],
    sound: [0, 0],
  },
  {
    file: 'javascript/order-history.mjs',
    sibling: ORDER,
    effect: async (played) => {
      const [order] = await ordersOf(played);
      return played.view.placedAt.slice(0, 19) === order?.createdAt.slice(0, 19);
    },
    mistaken: false,
    sound: true,
  },
  {
    file: 'javascript/member-order.mjs',
    sibling: ORDER,
    effect: async (played) => [played.code, (await ordersOf(played)).length, await issued(played)],
    mistaken: [1, 1, 0],
    sound: [0, 1, 1],
  },
  {
    file: 'javascript/sales-board.mjs',
    sibling: COPY,
    effect: async ({ view }) => view.mails?.length ?? view['mug-blue'],
    // Three were ordered, the first one alone.
    mistaken: 4,
    // One when the order arrives, and one when it is cancelled.
    sound: 2,
  },
  { file: 'javascript/mail-outbox.mjs', sibling: COPY, effect: firstAnswer, mistaken: 204, sound: 401 },
]);
