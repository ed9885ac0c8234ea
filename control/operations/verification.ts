import { isDeepStrictEqual } from 'node:util';
import * as declared from '../../shared/catalog/control/operations/verification.ts';
import { instant } from '../../shared/domain/time.ts';
import { bookedWorld, booksOf } from '../books/books.ts';
import { operate } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import { endOf } from '../stream/logs.ts';
import { swappedIn } from '../swaps/swaps.ts';
import { addVerdict, verdictsOf } from '../verify/verdicts.ts';

/** Wall time limit for settling before the verification. */
const SETTLE_MS = 10_000;
/** While a world changes, its verification is repeated: the records that it reads are not from one instant. */
const ATTEMPTS = 3;

export const verify = operate(declared.verify)(async (_input, { world, worlds, view, driver, verified, forbiddenChanges, gone }) => {
  for (let attempt = 1; ; attempt++) {
    const { settled, waitingFor } = await driver.settle(world, SETTLE_MS, gone);
    const before = await endOf(worlds, world);
    const forbidden = [...(await forbiddenChanges.of(view))];
    if (forbidden.length > 0) {
      const isWhole = (await swappedIn(worlds, world)).length === 0;
      return { holds: false, settled, waitingFor: [...waitingFor], complete: isWhole, invariants: [], forbidden };
    }
    const invariants = await verified(world, gone);
    const complete = (await swappedIn(worlds, world)).length === 0;
    await requireCurrent(worlds, world);
    const holds = invariants.every((invariant) => invariant.holds);
    const isOfOneInstant = holds || isDeepStrictEqual(before, await endOf(worlds, world));
    if (!isOfOneInstant && attempt < ATTEMPTS) continue;
    await addVerdict(worlds, world, { now: (await requireCurrent(worlds, world)).now, holds, invariants });
    const changes = isOfOneInstant ? [] : ['requests or work that changed the rehearsal during the verification'];
    return { holds, settled: settled && isOfOneInstant, waitingFor: [...waitingFor, ...changes], complete, invariants, forbidden };
  }
});

export const listVerdicts = operate(declared.listVerdicts)(async ({ query: { before, limit } }, { world, worlds }) => {
  const items = await verdictsOf(worlds, world, { before, limit });
  return { items, next: items.length === limit ? items.at(-1)?.number : undefined };
});

export const readBooks = operate(declared.readBooks)(async (_input, { world, view, worlds, objects, inSlices, gone }) => {
  const { currency, entries } = await inSlices(gone, async (breathe) =>
    booksOf(await bookedWorld(worlds, world, breathe), objects, breathe),
  );
  await requireCurrent(worlds, world);
  return {
    now: instant(view.now),
    currency,
    entries: entries.slice(0, declared.MOST_BOOK_ENTRIES),
    omitted: Math.max(0, entries.length - declared.MOST_BOOK_ENTRIES),
  };
});
