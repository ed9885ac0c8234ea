import type { z } from 'zod';
import { invalid } from '../../../shared/catalog/problems.ts';
import { recordVoucherUse as recordVoucherUseCall } from '../../../shared/catalog/promotion/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { basketVouchers, vouchers, voucherUses } from '../collections.ts';
import { judge } from '../evaluation.ts';
import { canonical } from '../voucher-rules.ts';

type BasketVouchers = z.output<typeof basketVouchers.schema>;
type UseRequest = z.output<typeof recordVoucherUseCall.request>;

/** The uses of a basket's vouchers follow its checkout: taken when it is locked, kept by the order, given back when there is none. */
export const recordVoucherUse = handle(recordVoucherUseCall)(async ({ params: { basketId }, body }, { work }) => {
  const found = await work.get(basketVouchers, basketId);
  const next = await moved(work, { basketId, found, body });
  return { basketId, state: next.state, codes: [...next.codes] };
});

interface Move {
  readonly basketId: string;
  readonly found: BasketVouchers | undefined;
  readonly body: UseRequest;
}

async function moved(work: UnitOfWork, move: Move): Promise<BasketVouchers> {
  switch (move.body.state) {
    case 'locked':
      return lock(work, move);
    case 'redeemed':
      return redeem(work, move);
    case 'released':
      return release(work, move);
  }
}

/** Takes a use of each code that can be used; codes of an earlier checkout that are no longer among them are given back. */
async function lock(work: UnitOfWork, { basketId, found, body }: Move): Promise<BasketVouchers> {
  if (!body.codes) throw invalid('/codes', 'required', 'Say which vouchers are locked.');
  // A repeat that was under way while the order was confirmed must not undo it.
  if (found?.state === 'redeemed') return found;
  const held = found?.state === 'locked' ? heldCodes(found) : [];
  const wanted = body.codes.map(canonical);
  await giveBack(
    work,
    held.filter((code) => !wanted.includes(code)),
  );
  const codes = (await judge(work, wanted, basketId)).map(({ code, reason }) => ({ code, accepted: !reason, ...(reason && { reason }) }));
  await takeUses(
    work,
    codes.filter(({ code, accepted }) => accepted && !held.includes(code)).map(({ code }) => code),
  );
  if (found?.state === 'locked' && JSON.stringify(found.codes) === JSON.stringify(codes)) return found;
  return work.put(basketVouchers, {
    id: basketId,
    state: 'locked',
    codes,
    ...(body.customerId !== undefined && { customerId: body.customerId }),
  });
}

/** What was given back is not redeemed any more: a cancelled order may still be confirmed late by a repeat. */
async function redeem(work: UnitOfWork, { basketId, found }: Move): Promise<BasketVouchers> {
  if (found && found.state !== 'locked') return found;
  return work.put(basketVouchers, { ...(found ?? { id: basketId, codes: [] }), state: 'redeemed' });
}

/** Gives back what is locked, and also what was redeemed: the order was cancelled. */
async function release(work: UnitOfWork, { basketId, found }: Move): Promise<BasketVouchers> {
  if (found?.state === 'released') return found;
  if (found) await giveBack(work, heldCodes(found));
  return work.put(basketVouchers, { ...(found ?? { id: basketId, codes: [] }), state: 'released' });
}

const heldCodes = ({ codes }: BasketVouchers): readonly string[] => codes.filter(({ accepted }) => accepted).map(({ code }) => code);

const takeUses = (work: UnitOfWork, codes: readonly string[]): Promise<void> => moveUses(work, codes, 1);
const giveBack = (work: UnitOfWork, codes: readonly string[]): Promise<void> => moveUses(work, codes, -1);

/** The guard decides the race for the last use; whoever loses it is run again and finds none left. */
async function moveUses(work: UnitOfWork, codes: readonly string[], uses: number): Promise<void> {
  for (const code of codes) {
    const limited = (await work.get(vouchers, code))?.voucher.usageLimit !== undefined;
    work.move(voucherUses, code, { used: uses, ...(limited && { left: -uses }) });
  }
}
