import type { Bench, Body, Input } from './bench.ts';
import { rulesOf, type Suite } from './suite.ts';

const PRICE = 2_000;

const evaluation = (bench: Bench, ...voucherCodes: readonly string[]): Input => ({
  body: {
    lines: [{ sku: bench.id('product'), qty: 2, unitPrice: bench.money(PRICE) }],
    ...(voucherCodes.length > 0 && { voucherCodes }),
  },
});

const evaluate = (bench: Bench, ...voucherCodes: readonly string[]): Promise<Body> =>
  bench.prepare('evaluate-promotions-api', evaluation(bench, ...voucherCodes));

const sumOf = (discounts: readonly Body[]): number => discounts.reduce((sum, { discount }) => sum + discount.amount, 0);

const locking = (bench: Bench, ...codes: readonly string[]): Input => ({
  params: { basketId: bench.unique('bsk_') },
  body: { state: 'locked', codes },
});

const record = (bench: Bench, input: Input, state: string): Promise<Body> =>
  bench.prepare('record-voucher-use', { ...input, body: { ...input.body, state } });

const evaluating = rulesOf('evaluate-promotions-api');
const recording = rulesOf('record-voucher-use');
const validating = rulesOf('validate-voucher-api');

export const promotionEngineSuite: Suite = {
  application: 'promotion-engine',
  ids: {
    product: { meaning: 'SKU of a product', value: 'mug-blue' },
    voucher: { meaning: 'voucher that every customer can use', value: 'WELCOME10' },
  },
  capabilities: {},
  calls: {
    'evaluate-promotions-api': { valid: async (bench) => evaluation(bench) },
    'record-voucher-use': {
      valid: async (bench) => locking(bench, bench.id('voucher')),
      effect: async (bench, { params, body }) =>
        (await bench.prepare('record-voucher-use', { params: params ?? {}, body: body ?? {} })).codes,
    },
    'validate-voucher-api': { valid: async (bench) => ({ params: { code: bench.id('voucher') }, body: { amount: bench.money(PRICE) } }) },
  },
  rules: [
    evaluating('adds-up', 'answers lines and totals that add up, in the currency of the request', async (bench) => {
      const { lines, totalDiscount } = await evaluate(bench, bench.id('voucher'));
      bench.expect('Currency', totalDiscount.currency, bench.currency);
      bench.expect('Total discount', totalDiscount.amount, sumOf(lines));
      for (const { qty, unitPrice, discount, discounts, lineTotal } of lines) {
        bench.expect('Discount of a line', discount.amount, sumOf(discounts));
        bench.expect('Total of a line', lineTotal.amount, qty * unitPrice.amount - discount.amount);
      }
    }),
    evaluating('voucher-applied', 'gives the discount of a voucher, and uses nothing up', async (bench) => {
      const code = bench.id('voucher');
      const [first, again] = [await evaluate(bench, code), await evaluate(bench, code)];
      const ofVoucher = (of: Body): readonly Body[] => of.applied.filter(({ voucherCode }: Body) => voucherCode === code);
      bench.expect('Whether the voucher gives a discount', sumOf(ofVoucher(first)) > 0, true);
      bench.expect('Discount of the second evaluation', sumOf(ofVoucher(again)), sumOf(ofVoucher(first)));
    }),
    evaluating('unknown-voucher', 'answers an unknown voucher as rejected, without an error', async (bench) => {
      const { rejected } = await evaluate(bench, 'CONFORM-UNKNOWN');
      const reasons = rejected.map(({ reason }: Body) => reason);
      bench.expect('Rejected', reasons, ['not_found']);
    }),
    recording('locked-by-code', 'accepts a usable voucher and refuses an unknown one, each by its code', async (bench) => {
      const { state, codes } = await bench.prepare('record-voucher-use', locking(bench, bench.id('voucher'), 'CONFORM-UNKNOWN'));
      bench.expect('Uses', [state, codes.map(({ accepted }: Body) => accepted)], ['locked', [true, false]]);
    }),
    recording('late-checkout', 'changes nothing by a late request of an earlier checkout', async (bench) => {
      const codes = [bench.id('voucher')];
      for (const [steps, expected] of [
        ['locked 1, released 1, locked 1', 'released'],
        ['locked 1, released 1, locked 2, locked 1', 'locked'],
        ['locked 1, locked 2, released 1', 'locked'],
      ] as const) {
        const params = { basketId: bench.unique('bsk_') };
        let last: Body;
        for (const [index, step] of steps.split(', ').entries()) {
          const [state, attempt] = step.split(' ');
          // A late request has other codes, which must not replace the codes of the newer checkout.
          const named = index < 3 ? codes : ['CONFORM-UNKNOWN'];
          const body = { state, attempt: Number(attempt), ...(state === 'locked' && { codes: named }) };
          last = await bench.prepare('record-voucher-use', { params, body });
        }
        bench.expect(`State after ${steps}`, [last?.state, last?.codes.map(({ code }: Body) => code)], [expected, codes]);
      }
    }),
    recording('redeemed-stays', 'keeps a redeemed use when a late repeat locks it again', async (bench) => {
      const input = locking(bench, bench.id('voucher'));
      for (const [wanted, state] of [
        ['locked', 'locked'],
        ['redeemed', 'redeemed'],
        ['locked', 'redeemed'],
      ] as const) {
        bench.expect(`State after ${wanted}`, (await record(bench, input, wanted)).state, state);
      }
    }),
    recording('released', 'releases a locked use, and does not redeem it later', async (bench) => {
      const input = locking(bench, bench.id('voucher'));
      await record(bench, input, 'locked');
      bench.expect('State after released', (await record(bench, input, 'released')).state, 'released');
      bench.expect('State after a late confirmation', (await record(bench, input, 'redeemed')).state, 'released');
    }),
    validating('unknown-voucher', 'answers an unknown voucher as not valid', async (bench) => {
      const input = { params: { code: 'CONFORM-UNKNOWN' }, body: { amount: bench.money(PRICE) } };
      bench.expect('Valid', (await bench.prepare('validate-voucher-api', input)).valid, false);
    }),
  ],
  objects: {},
  scenarioNeeds: {},
};
