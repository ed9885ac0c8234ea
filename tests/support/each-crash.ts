import { expect } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { Snapshot } from '../../shared/store/ports/snapshots.ts';
import { type Crash, type CrashingEstate, crashingEstate } from './crashing-estate.ts';
import { someOf } from './effort.ts';

const MINUTE = 60_000;
/** How many of the deaths are tried when not all are. */
const SHARE = 1 / 6;
/** Estates in which somebody dies at the same time: processes that restart and work that is polled are waited for together. */
const LANES = 4;

/** Does something, and adds what it found out to what is known: ids and the like, plain data that is true in other worlds, too. */
export type Step<Known> = (estate: CrashingEstate, known: Known) => Promise<Known>;

export interface Journey<Known> {
  /** What is there before anybody may die. */
  readonly begin: (estate: CrashingEstate) => Promise<Known>;
  /** During these, and until the world has come to rest after them, somebody dies. What is to overlap for certain is one step. */
  readonly steps: readonly Step<Known>[];
  /** Who dies at each of its commits. */
  readonly killed: readonly Application[];
  /** What happens at the same moment may take a commit more or less from one time to the next: the last ones may be missing. */
  readonly races?: true;
  /** What must be true in the end, whoever died, and when nobody did. */
  readonly end: (estate: CrashingEstate, known: Known, crash: Crash | undefined) => Promise<void>;
}

/** A world at rest, with so many steps behind it. */
interface Checkpoint<Known> {
  readonly steps: number;
  readonly from: Snapshot;
  readonly known: Known;
  readonly committed: ReadonlyMap<Application, number>;
}

/**
 * Kills a process at each of its commits on a journey, once before the store hears of it and once after. What comes before the step in
 * which it dies is lived once, by all, and comes to rest after each step; from there each goes on by itself, without a pause.
 * Besides what the journey says, in the end nothing is parked and every invariant holds.
 *
 * @returns how many deaths there are: not all are tried, but others each time, unless everything is to be
 */
export async function eachCrash<Known>(journey: Journey<Known>): Promise<number> {
  const checkpoints = await withoutCrash(journey);
  const crashes = journey.killed.flatMap((application) => {
    const commits = checkpoints.at(-1)?.committed.get(application) ?? 0;
    if (commits === 0) throw new Error(`${application} is to be killed at its commits, and makes none.`);
    return Array.from({ length: commits }, (_, index) => index + 1).flatMap((commit) =>
      (['before', 'after'] as const).map((when): Crash => ({ application, commit, when })),
    );
  });
  await inParallel(someOf(crashes, SHARE), (crash) => withCrash(journey, crash, checkpoints));
  return crashes.length;
}

/** @returns a checkpoint before each step, and one after the last */
async function withoutCrash<Known>({ begin, steps, killed, end }: Journey<Known>): Promise<readonly Checkpoint<Known>[]> {
  const estate = await crashingEstate();
  try {
    let known = await begin(estate);
    const checkpoint = async (behind: number): Promise<Checkpoint<Known>> => {
      const from = await estate.snapshot();
      if (behind === 0) estate.crashAt(undefined);
      return { steps: behind, from, known, committed: new Map(killed.map((application) => [application, estate.commits(application)])) };
    };
    const checkpoints = [await checkpoint(0)];
    for (const [index, step] of steps.entries()) {
      known = await step(estate, known);
      checkpoints.push(await checkpoint(index + 1));
    }
    await end(estate, known, undefined);
    await holds(estate);
    return checkpoints;
  } catch (error) {
    throw new Error(`nobody killed: ${(error as Error).message}`, { cause: error });
  } finally {
    await estate.close();
  }
}

async function withCrash<Known>(journey: Journey<Known>, crash: Crash, checkpoints: readonly Checkpoint<Known>[]): Promise<void> {
  const { application, commit, when } = crash;
  const committed = (checkpoint: Checkpoint<Known>): number => checkpoint.committed.get(application) ?? 0;
  const checkpoint = checkpoints.findLast((one) => committed(one) < commit);
  if (!checkpoint) throw new Error(`${application} makes its commit ${commit} before the journey begins.`);
  const estate = await crashingEstate({ from: checkpoint.from });
  try {
    estate.crashAt({ application, commit: commit - committed(checkpoint), when });
    let { known } = checkpoint;
    for (const step of journey.steps.slice(checkpoint.steps)) known = await step(estate, known);
    await journey.end(estate, known, crash);
    if (!journey.races) expect(estate.crashes()).toBe(1);
    await holds(estate);
  } catch (error) {
    const where = `${application} killed ${when} its commit ${commit}, in step ${checkpoint.steps + 1} of ${journey.steps.length}`;
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  } finally {
    await estate.close();
  }
}

/** A single request, of a client that insists until it is answered, or of one that takes what becomes of sending it once. */
export interface OneRequest {
  readonly application: Application;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** The step that makes a request. */
export const requested =
  <Known extends OneRequest>(insists: boolean): Step<Known> =>
  async (estate, known) => {
    const { application, method, path, body } = known;
    if (insists) await estate.insist(application, method, path, body, 'insisting');
    else await estate.ask(application, method, path, body, 'once').catch(() => undefined);
    return known;
  };

/** Lets the longest pause go by after which somebody takes over what broke off. */
export async function takeOver(estate: CrashingEstate): Promise<void> {
  await estate.settle();
  await estate.advance(MINUTE);
  await estate.advance(6 * MINUTE);
}

/** What broke off was taken over, and nothing is left to do or amiss. */
export async function comeToRest(estate: CrashingEstate): Promise<void> {
  await takeOver(estate);
  expect(await estate.settle()).toMatchObject({ settled: true });
  await holds(estate);
}

async function holds(estate: CrashingEstate): Promise<void> {
  expect((await estate.ledger()).parked).toEqual([]);
  expect((await estate.verify()).flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`))).toEqual([]);
}

/** Goes on until one fails. @throws what the first failed with */
async function inParallel<T>(items: readonly T[], each: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && failures.length === 0; item = queue.shift()) {
      await each(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (failures.length > 0) throw failures[0];
}
