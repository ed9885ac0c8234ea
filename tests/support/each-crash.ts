import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { WorldData } from '../../shared/store/ports/world-data.ts';
import { type Crash, type CrashingEstate, crashingEstate } from './crashing-estate.ts';
import { someOf } from './effort.ts';

const MINUTE = 60_000;
/** Share of the possible crashes in the random sample. */
const SHARE = 1 / 6;
/** Number of concurrent estates with a crash, so that restarts and polling are awaited in parallel. */
const LANES = 4;

/** Runs a step and adds its results, such as ids, to the data. The data is plain, and valid in copies of the world. */
export type Step<Known> = (estate: CrashingEstate, known: Known) => Promise<Known>;

export interface Journey<Known> {
  /** Figures of the retailer that differ from the defaults. */
  readonly retailer?: object;
  /** Setup without crashes. */
  readonly begin: (estate: CrashingEstate) => Promise<Known>;
  /** Steps with crashes, which also happen until the world has settled. Operations that must overlap form one step. */
  readonly steps: readonly Step<Known>[];
  /** The application that dies at each of its commits. */
  readonly killed: readonly Application[];
  /** Whether the number of commits varies because of concurrency, so that the last ones may be missing. */
  readonly races?: true;
  /** Final assertions, with any crash and without one. */
  readonly end: (estate: CrashingEstate, known: Known, crash: Crash | undefined) => Promise<void>;
}

/** A settled world after a number of steps. */
interface Checkpoint<Known> {
  readonly steps: number;
  readonly from: WorldData;
  readonly known: Known;
  readonly committed: ReadonlyMap<Application, number>;
}

/**
 * Kills a process at each of its commits on a journey, once before and once after the store receives the commit. The steps before the
 * crash run once, settle after each step, and are shared as data. From there each crash continues in its own world without a pause.
 * At the end the assertions of the journey and all invariants must hold, and nothing may be parked.
 *
 * @returns the number of possible crashes. A run tests a random sample, and a thorough run tests all
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
async function withoutCrash<Known>({ retailer, begin, steps, killed, end }: Journey<Known>): Promise<readonly Checkpoint<Known>[]> {
  const estate = await crashingEstate({ retailer });
  try {
    let known = await begin(estate);
    const checkpoint = async (behind: number): Promise<Checkpoint<Known>> => {
      const from = await estate.data();
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
    throw new Error(`without a crash: ${(error as Error).message}`, { cause: error });
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

/** A single request, which the client either retries until it is answered or sends only once. */
export interface OneRequest {
  readonly application: Application;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Advances past the longest pause before another process takes over interrupted work. */
export async function takeOver(estate: CrashingEstate): Promise<void> {
  await estate.settle();
  await estate.advance(MINUTE);
  await estate.advance(6 * MINUTE);
}

/** Asserts that interrupted work was taken over, nothing is pending, and every invariant holds. */
export async function comeToRest(estate: CrashingEstate): Promise<void> {
  await takeOver(estate);
  expect(await estate.settle()).toMatchObject({ settled: true });
  await holds(estate);
}

async function holds(estate: CrashingEstate): Promise<void> {
  expect((await estate.ledger()).parked).toEqual([]);
  expect((await estate.verify()).flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`))).toEqual([]);
}

/** A request during which a process dies. */
interface Endangered<Request extends OneRequest> {
  /** The applications that die at each of their commits. */
  readonly killed: readonly Application[];
  readonly prepare: (estate: CrashingEstate) => Promise<Request>;
  /** Final assertions, once the estate is at rest. @param insists whether the client repeated its request until it was answered */
  readonly end: (estate: CrashingEstate, request: Request, insists: boolean) => Promise<void>;
}

/** Two tests per request: a process dies at any of its commits, and the client repeats its request, or does not. */
export function crashesDuring<Request extends OneRequest>(requests: Readonly<Record<string, Endangered<Request>>>): void {
  describe.each([
    ['is repeated', true],
    ['is not repeated', false],
  ])('Requests whose process dies at any commit, when the request %s', (how, insists) => {
    test.each(Object.entries(requests))(
      `The process of %s dies, the request ${how}, and it has one effect or none`,
      async (_name, { killed, prepare, end }) => {
        const asking: Step<Request> = async (estate, request) => {
          const { application, method, path, body } = request;
          if (insists) await estate.insist(application, method, path, body, 'insisting');
          else await estate.ask(application, method, path, body, 'once').catch(() => undefined);
          return request;
        };
        await eachCrash<Request>({
          begin: prepare,
          steps: [asking],
          killed,
          end: async (estate, request) => {
            await comeToRest(estate);
            await end(estate, request, insists);
          },
        });
      },
      180_000,
    );
  });
}

/** Runs tasks until one fails. @throws the first failure */
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
