import { changedRow } from '../../fixtures/change.ts';
import { MOST_PROMOTIONS } from '../../shared/catalog/limits.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { changePromotion as changePromotionCall, changeVoucher as changeVoucherCall } from '../../shared/catalog/promotion/internal.ts';
import { handle } from '../../shared/work/handler.ts';
import { promotions, vouchers, voucherUses } from './collections.ts';
import { canonicalCode } from './voucher-rules.ts';

export const changePromotion = handle(changePromotionCall)(async ({ params: { id }, body }, { work, breathe }) => {
  const found = await work.get(promotions, id);
  const rule = changedRow('promotions', body, { before: found?.rule, key: id, work });
  const { items } = await work.all(promotions, { limit: MOST_PROMOTIONS, breathe });
  if (!found && items.length >= MOST_PROMOTIONS) {
    throw invalid(
      '{id}',
      'too_big',
      `The rehearsal has ${MOST_PROMOTIONS.toLocaleString('en')} promotions, which is the limit: change one of them.`,
    );
  }
  const twin = items.find((one) => one.id !== id && one.rule.priority === rule.priority);
  if (twin) throw invalid('/priority', 'priority_of_another', `The promotion "${twin.id}" has this priority; choose another.`);
  work.put(promotions, { ...(found ?? { id }), rule });
  return { rule };
});

/** Locked and redeemed uses continue to count: a change sets only the other ones. @throws Problem `validation_failed` for less than these */
export const changeVoucher = handle(changeVoucherCall)(async ({ params, body }, { work }) => {
  const id = canonicalCode(params.id);
  const found = await work.get(vouchers, id);
  const [uses] = await work.counters(voucherUses, [id]);
  const { used = 0, preset = 0, left = 0 } = uses ?? {};
  const next = changedRow('vouchers', body, { before: found && { ...found.voucher, used }, key: id, work });
  const { used: wanted, ...voucher } = next;
  refuseBelowHeld(id, wanted, used - preset);
  work.put(vouchers, { ...(found ?? { id }), voucher });
  const rest = next.usageLimit === undefined ? 0 : next.usageLimit - wanted;
  work.move(voucherUses, id, { used: wanted - used, preset: wanted - used, left: rest - left });
  return next;
});

function refuseBelowHeld(code: string, wanted: number, held: number): void {
  if (wanted >= held) return;
  const uses = held === 1 ? '1 use' : `${held} uses`;
  const detail = `Checkouts and orders hold ${uses} of the voucher "${code}". Set at least ${held}, or raise usageLimit to allow more uses.`;
  throw invalid('/used', 'uses_held', detail);
}
