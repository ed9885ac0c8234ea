import { runIn } from '../../support/scratch-project.ts';
import { skipTests } from '../../support/skipped.ts';
import { asItIs, EXAMPLES, firstAnswer, ordersOf, type Played, testConsumers } from './playing.ts';

const COPY = 'javascript/sound-order-copy.mjs';
const SHIFT = 'python/sound_shift.py';

const refunded = async (played: Played) => {
  const [order] = await ordersOf(played);
  const { payments } = await played.rehearsal.order(order?.id ?? '');
  return payments.map(({ refundedAmount }) => refundedAmount.amount);
};

const { code, err } = await runIn(EXAMPLES, 'python3', ['--version']);
if (code !== 0) skipTests('the consumers in Python', `python3 is missing: ${err}`, 'python3');
else
  testConsumers('python', asItIs, [
    { file: 'python/goodwill_refund.py', sibling: SHIFT, effect: refunded, mistaken: [1_000], sound: [500] },
    {
      file: 'python/order_copy.py',
      sibling: COPY,
      effect: ({ code: ended, view }) => [ended, view.states],
      mistaken: [0, ['draft']],
      sound: [0, ['cancelled']],
    },
    { file: 'python/payment_alarm.py', sibling: COPY, effect: firstAnswer, mistaken: 204, sound: 401 },
    {
      file: 'python/tender_report.py',
      sibling: SHIFT,
      effect: async (played) => [played.code, played.view !== undefined, (await ordersOf(played)).length],
      mistaken: [1, false, 1],
      sound: [0, true, 1],
    },
    {
      file: 'python/sales_of_the_day.py',
      sibling: SHIFT,
      effect: async ({ code, view }) => [code, view.total > 0],
      mistaken: [0, false],
      sound: [0, true],
    },
  ]);
