import { EARLIEST_START, LATEST_CLOCK, LATEST_TIMER } from '../../shared/catalog/limits.ts';
import type { FieldError } from '../../shared/catalog/problems.ts';
import { type Breathe, breathing } from '../../shared/domain/breathe.ts';
import { derivedUlid, digest } from '../../shared/domain/ids.ts';
import { instant, type Ms, NEVER } from '../../shared/domain/time.ts';
import { mistake, type Path } from './mistake.ts';
import type { SnapshotFile } from './snapshot-file.ts';

/** The clock of the file and the instants of its due work: each must be one that a clock can show. */
export async function* mistakesOfTimes(
  { clock, due, seed, journal = [] }: SnapshotFile,
  breathe: Breathe,
): AsyncGenerator<FieldError, void> {
  yield* outside(['seed', 'now'], seed.now);
  if (seed.beginning?.startsAt !== undefined) yield* outside(['seed', 'beginning', 'startsAt'], seed.beginning.startsAt);
  yield* outside(['clock', 'now'], Date.parse(clock.now));
  let earliest = seed.now;
  for await (const [place, { at }] of breathing(seed.due.entries(), breathe)) {
    yield* noTime(['seed', 'due', place, 'at'], at, EARLIEST_START);
    earliest = Math.min(earliest, at);
  }
  for await (const [place, { at, withheldBy }] of breathing(due.entries(), breathe)) {
    // A fault withholds work until it is deleted.
    if (at !== NEVER || withheldBy === undefined) yield* noTime(['due', place, 'at'], at, earliest);
  }
  for await (const [place, { hop }] of breathing(journal.entries(), breathe)) {
    yield* outside(['journal', place, 'hop', 'startedAt'], Date.parse(hop.startedAt));
    yield* outside(['journal', place, 'hop', 'at'], Date.parse(hop.at));
  }
}

function* outside(path: Path, at: Ms): Generator<FieldError, void> {
  if (at < EARLIEST_START) yield mistake(path, 'too_early', `No clock starts before ${instant(EARLIEST_START)}.`);
  if (at > LATEST_CLOCK) yield mistake(path, 'too_late', `No clock goes beyond ${instant(LATEST_CLOCK)}.`);
}

function* noTime(path: Path, at: Ms, earliest: Ms): Generator<FieldError, void> {
  if (at > LATEST_TIMER)
    yield mistake(path, 'too_late', `This must be epoch milliseconds, at most ${LATEST_TIMER} (${instant(LATEST_TIMER)}).`);
  else if (at < earliest) {
    const start = Number.isSafeInteger(earliest) && Math.abs(earliest) <= NEVER ? `${earliest} (${instant(earliest)})` : String(earliest);
    yield mistake(path, 'too_early', `This must be epoch milliseconds from ${start} on: the world starts then.`);
  }
}

/** How many numbers after the last one of a name are compared with the ids of the file. Requests that change nothing leave no id. */
const NUMBERS_AHEAD = 100;
/** The id of a request. Its second part derives from the seed, the name and the number. */
const REQUEST_ID = /req_[0-9A-Z]{10}([0-9A-Z]{16})/g;

/** In a world with a seed, a number that is given again makes ids that the world has already. */
export async function* mistakesOfNumbers(
  { numbers, seed: { beginning }, events, applications, due }: SnapshotFile,
  names: readonly string[],
  breathe: Breathe,
): AsyncGenerator<FieldError, void> {
  const seed = beginning?.seed;
  if (seed === undefined) return;
  const used = new Set<string | undefined>();
  for (const rows of [events, due, ...Object.values(applications).map(({ outbox }) => outbox)]) {
    for await (const row of breathing<unknown>(rows, breathe)) {
      for (const [, derived] of JSON.stringify(row).matchAll(REQUEST_ID)) used.add(derived);
    }
  }
  for await (const name of breathing(new Set([...names, ...Object.keys(numbers)]), breathe)) {
    const last = numbers[name] ?? 0;
    for (let number = last + NUMBERS_AHEAD; number > last; number--) {
      if (!used.has(derivedUlid(digest(seed, 'request', name, String(number)), 0).slice(-16))) continue;
      yield mistake(
        ['numbers', name],
        'too_small',
        `This must be at least ${number}: the file has ids of the request ${number} of this name.`,
      );
      break;
    }
  }
}
