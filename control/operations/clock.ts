import * as declared from '../../shared/catalog/control/operations/clock.ts';
import { LATEST_CLOCK } from '../../shared/catalog/limits.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import { readMoves } from '../clock/moves.ts';
import { describeWithheld } from '../events/withheld.ts';
import { operate } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import { unseenIn } from '../swaps/swaps.ts';

export const readClock = operate(declared.readClock)(async (_input, { view }) => ({ now: instant(view.now), flowing: view.flowing }));

export const setClock = operate(declared.setClock)(async ({ body }, { world, worlds, driver }) => {
  await driver.setFlowing(world, body.flowing);
  const { now, flowing } = await requireCurrent(worlds, world);
  return { now: instant(now), flowing };
});

/** One advance covers at most ten years, with up to three leap years. */
const LONGEST_ADVANCE_MS = (10 * 365 + 3) * 24 * 60 * 60 * 1_000;

export const advanceClock = operate(declared.advanceClock)(async ({ body }, { world, worlds, view, driver, gone }) => {
  const to = destinationOf(body, view.now);
  const { now, ran, settled, waitingFor, move } = await driver.advance(world, to, body.timeoutMs, gone);
  const unseen = await unseenIn(worlds, world);
  await requireCurrent(worlds, world);
  return {
    now: instant(now),
    ran: ran.map(({ application, kind, key, at }) => ({ application, kind, key, at: instant(at) })),
    settled,
    waitingFor: [...waitingFor],
    unseen,
    move,
  };
});

export const listClockMoves = operate(declared.listClockMoves)(async ({ query: { before, limit } }, { world, worlds }) => {
  const found = await readMoves(worlds, world, { before, limit: limit + 1 });
  const items = found.slice(0, limit).map(({ from, to, movedAt, timers, ...move }) => ({
    ...move,
    from: instant(from),
    to: instant(to),
    movedAt: instant(movedAt),
    timers: timers.map((timer) => ({ ...timer, at: instant(timer.at) })),
  }));
  return { items, next: found.length > limit ? items.at(-1)?.number : undefined };
});

/** @throws Problem validation_failed for an instant in the past, too far ahead, or later than a clock can show */
function destinationOf({ by, to }: { readonly by?: string; readonly to?: string }, now: Ms): Ms {
  const pointer = by === undefined ? '/to' : '/by';
  const at = by === undefined ? Date.parse(to ?? '') : now + durationOf(by);
  if (Number.isNaN(at)) throw invalid('/to', 'invalid_instant', `"${to}" is not an instant.`);
  if (at < now) throw invalid(pointer, 'in_the_past', `The clock moves forward only; it is ${instant(now)} now.`);
  if (at > LATEST_CLOCK) throw invalid(pointer, 'too_late', `No clock goes beyond ${instant(LATEST_CLOCK)}.`);
  if (at - now > LONGEST_ADVANCE_MS) {
    throw invalid(
      pointer,
      'too_far',
      `One advance covers at most ten years, to ${instant(now + LONGEST_ADVANCE_MS)}; advance in several steps.`,
    );
  }
  return at;
}

function durationOf(text: string): Ms {
  try {
    return durationMs(text);
  } catch {
    throw invalid(
      '/by',
      'invalid_duration',
      `"${text}" is not a duration of ISO 8601 such as PT1H or P2D; months and years have no fixed length, so use weeks or days.`,
    );
  }
}

export const settle = operate(declared.settle)(async ({ body }, { world, worlds, driver, gone }) => {
  const { settled, waitingFor } = await driver.settle(world, body.timeoutMs, gone);
  const { parked, withheld } = await worlds.ledger(world);
  const unseen = await unseenIn(worlds, world);
  await requireCurrent(worlds, world);
  return {
    settled,
    waitingFor: [...waitingFor],
    unseen,
    parked: parked.map((one) => ({ ...one, at: instant(one.at) })),
    withheld: withheld.map(describeWithheld),
  };
});
