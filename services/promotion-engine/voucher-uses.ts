import type { z } from 'zod';
import { invalid } from '../../shared/catalog/problems.ts';
import { recordVoucherUse as recordVoucherUseCall } from '../../shared/catalog/promotion/internal.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { basketVouchers, vouchers, voucherUses } from './collections.ts';
import { judgeCodes } from './evaluation.ts';
import { canonicalCode } from './voucher-rules.ts';

type BasketVouchers = z.output<typeof basketVouchers.schema>;
type UseRequest = z.output<typeof recordVoucherUseCall.request>;

/** Uses are taken when the basket is locked, kept when it becomes an order, and otherwise released. */
export const recordVoucherUse = handle(recordVoucherUseCall)(async ({ params: { basketId }, body }, { work }) => {
  const found = await work.get(basketVouchers, basketId);
  if (found && isLate(found, body)) return answerOf(found);
  const next = await { locked: lock, redeemed: redeem, released: release }[body.state](work, { basketId, found, body });
  return answerOf(next);
});

const answerOf = ({ id, state, codes }: BasketVouchers) => ({ basketId: id, state, codes: [...codes] });

/** Whether a later checkout, or the undoing of the same one, has decided. */
const isLate = ({ state, attempt: last }: BasketVouchers, { attempt, ...asked }: UseRequest): boolean =>
  last !== undefined && attempt !== undefined && (attempt < last || (attempt === last && state === 'released' && asked.state === 'locked'));

interface UseChange {
  readonly basketId: string;
  readonly found: BasketVouchers | undefined;
  readonly body: UseRequest;
}

/** Takes a use of each usable code, and gives back the uses of codes that are no longer named. */
async function lock(work: UnitOfWork, { basketId, found, body }: UseChange): Promise<BasketVouchers> {
  if (!body.codes) throw invalid('/codes', 'required', 'Name the vouchers to lock.');
  // A late repeat must not undo the confirmation of the order.
  if (found?.state === 'redeemed') return found;
  const held = found?.state === 'locked' ? heldCodes(found) : [];
  const wanted = body.codes.map(canonicalCode);
  const dropped = held.filter((code) => !wanted.includes(code));
  await giveBack(work, dropped);
  const codes = (await judgeCodes(work, wanted, { basketId })).map(({ code, reason }) => ({ code, accepted: !reason, reason }));
  const added = codes.filter(({ code, accepted }) => accepted && !held.includes(code));
  await takeUses(
    work,
    added.map(({ code }) => code),
  );
  const { customerId, attempt } = body;
  if (found?.state === 'locked' && JSON.stringify(found.codes) === JSON.stringify(codes) && found.attempt === attempt) return found;
  return work.put(basketVouchers, { id: basketId, state: 'locked', codes, customerId, attempt });
}

/** Released uses stay released: a late repeat may still confirm a cancelled order. */
async function redeem(work: UnitOfWork, { basketId, found }: UseChange): Promise<BasketVouchers> {
  if (found && found.state !== 'locked') return found;
  return work.put(basketVouchers, { ...(found ?? { id: basketId, codes: [] }), state: 'redeemed' });
}

/** Gives back locked uses, and for a cancelled order redeemed ones. */
async function release(work: UnitOfWork, { basketId, found, body: { attempt = found?.attempt } }: UseChange): Promise<BasketVouchers> {
  if (found?.state === 'released' && found.attempt === attempt) return found;
  if (found && found.state !== 'released') await giveBack(work, heldCodes(found));
  return work.put(basketVouchers, { ...(found ?? { id: basketId, codes: [] }), state: 'released', attempt });
}

const heldCodes = ({ codes }: BasketVouchers): readonly string[] => codes.filter(({ accepted }) => accepted).map(({ code }) => code);

const takeUses = (work: UnitOfWork, codes: readonly string[]): Promise<void> => moveUses(work, codes, 1);
const giveBack = (work: UnitOfWork, codes: readonly string[]): Promise<void> => moveUses(work, codes, -1);

/** If another checkout takes the last use first, the guard of the counter refuses this commit, and the rerun finds no use left. */
async function moveUses(work: UnitOfWork, codes: readonly string[], uses: number): Promise<void> {
  for (const code of codes) {
    const found = await work.get(vouchers, code);
    // A change of the limit sets `left` anew.
    if (found) work.expect(vouchers, found);
    const limited = found?.voucher.usageLimit !== undefined;
    work.move(voucherUses, code, { used: uses, ...(limited && { left: -uses }) });
  }
}
