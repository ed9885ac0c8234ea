import type { ControlInput } from '../../shared/catalog/control/define-operation.ts';
import * as declared from '../../shared/catalog/control/operations/rehearsals.ts';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { carrierWebhook } from '../../shared/catalog/fulfillment/apis.ts';
import { invalid, isProblem, Problem } from '../../shared/catalog/problems.ts';
import type { SwapChanges, Swaps } from '../../shared/catalog/swap.ts';
import { idleExpiryMs } from '../../shared/domain/duration.ts';
import { DEFAULT_REHEARSAL, newId } from '../../shared/domain/ids.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import { rehearsalOf, type World } from '../../shared/domain/world.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { Beginning, WorldSource } from '../../shared/store/ports/world-data.ts';
import { countTypes } from '../objects/types.ts';
import { type ControlParts, operate, operateOnRehearsals } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import { describeLifetime, describeNewWorld, describeRehearsal } from '../rehearsals/describe.ts';
import { unknownRehearsal } from '../rehearsals/rehearsals.ts';
import { notAtRest } from '../snapshots/snapshots.ts';
import { swappedIn } from '../swaps/swaps.ts';
import { lastVerdict } from '../verify/verdicts.ts';

export const createRehearsal = operateOnRehearsals(declared.createRehearsal)(async ({ body }, parts) => {
  const { rehearsals, worlds, forbiddenChanges } = parts;
  // The new world has the work of clients that got these changes.
  const before = body.from?.rehearsal === undefined ? [] : await forbiddenChanges.of(await rehearsals.find(body.from.rehearsal));
  const name = body.name ?? newId('req', Date.now()).replace('req_', 'r-').toLowerCase();
  const { credentials, world, leftOut } = await rehearsals.create(name, {
    idleMs: idleMsOf(body),
    labels: body.labels,
    data: body.data,
    beginning: beginningOf(body),
    swap: body.swap as Swaps | undefined,
    from: await sourceOf(body, parts),
  });
  if (body.from?.rehearsal !== undefined) await requireRest(world, body.from.rehearsal, parts);
  const view = await requireCurrent(worlds, world);
  if (body.from !== undefined) await forbiddenChanges.remember(view, [...before, ...(await forbiddenChanges.of(view))]);
  return {
    ...(await describeNewWorld(name, worlds)),
    seed: body.seed?.toString(),
    credentials: { ...credentials, webhookUrl: `${carrierWebhook.path}?rehearsal=${name}` },
    estateCalls: await estateCallsOf(parts, view),
    leftOut: leftOut && [...leftOut],
  };
});

const beginningOf = ({ seed, startsAt }: { readonly seed?: string | number; readonly startsAt?: string }): Beginning => ({
  seed: seed?.toString(),
  startsAt: startsAt === undefined ? undefined : Date.parse(startsAt),
});

type Sources = Pick<ControlInput<typeof declared.createRehearsal>['body'], 'from' | 'data' | 'swap' | 'startsAt'>;

/** @returns undefined for a seeded rehearsal @throws Problem not_found, unknown_rehearsal, not_at_rest, swapped, validation_failed */
async function sourceOf(
  { from, data, swap, startsAt }: Sources,
  { rehearsals, snapshots }: ControlParts,
): Promise<WorldSource | undefined> {
  if (from === undefined) return undefined;
  if (data !== undefined) throw invalid('/data', 'not_together', 'The world in "from" has data already: give either "from" or "data".');
  if (swap !== undefined)
    throw invalid('/swap', 'not_together', 'A real system lacks the state of the world in "from": give either "from" or "swap".');
  if (startsAt !== undefined) {
    throw invalid('/startsAt', 'not_together', 'The clock of the world in "from" continues: give either "from" or "startsAt".');
  }
  const { snapshot, rehearsal } = from;
  if ((snapshot === undefined) === (rehearsal === undefined)) {
    throw invalid('/from', 'choose_one', 'Name either a snapshot or a rehearsal.');
  }
  if (snapshot !== undefined) return snapshots.open(snapshot);
  const view = await rehearsals.find(rehearsal ?? '');
  await snapshots.settled(view);
  return { copyOf: view.world };
}

/**
 * A request may begin between the check and the copy. The fork would have half of its work, so the fork is removed.
 * @throws Problem not_at_rest
 */
async function requireRest(fork: World, of: string, { snapshots, worlds }: ControlParts): Promise<void> {
  try {
    await snapshots.settled(await requireCurrent(worlds, fork));
  } catch (error) {
    await worlds.remove(rehearsalOf(fork), fork);
    throw isProblem(error, 'not_at_rest') ? notAtRest(of, error.context['waitingFor'] as readonly string[]) : error;
  }
}

/** @returns null to keep the rehearsal, undefined for the configured idle time */
function idleMsOf({ idleExpiry, keep }: { readonly idleExpiry?: string; readonly keep: boolean }): Ms | null | undefined {
  if (idleExpiry === undefined) return keep ? null : undefined;
  if (keep) {
    throw invalid('/idleExpiry', 'not_together', 'A rehearsal that is kept has no idle expiry: give either "keep" or "idleExpiry".');
  }
  try {
    return idleExpiryMs(idleExpiry);
  } catch (error) {
    throw invalid('/idleExpiry', 'invalid_duration', (error as Error).message);
  }
}

export const listRehearsals = operateOnRehearsals(declared.listRehearsals)(async (_input, { worlds }) => ({
  items: await Promise.all(
    (await worlds.list()).map(async (record) => {
      const world = record.current?.world;
      return { ...describeRehearsal(record), verdict: world && (await lastVerdict(worlds, world)) };
    }),
  ),
}));

/** Reading does not count as use: a console that shows a rehearsal does not keep it alive. */
export const readRehearsal = operateOnRehearsals(declared.readRehearsal)(async ({ params: { name } }, parts) => {
  const { worlds } = parts;
  const record = await worlds.record(name);
  if (!record?.current) throw unknownRehearsal(name);
  const { world, createdAt, contents } = record.current;
  const view = await requireCurrent(worlds, world);
  const data = await worlds.ownData(view.world);
  return {
    name,
    world: view.world,
    createdAt,
    now: instant(view.now),
    ...describeLifetime(record),
    flowing: view.flowing,
    seed: view.seed,
    startsAt: view.startsAt === undefined ? undefined : instant(view.startsAt),
    progression: progressionOf(view),
    data: data && Object.fromEntries(Object.entries(data).map(([file, rows]) => [file, Array.isArray(rows) ? rows.length : 1])),
    counts: await countContents(parts, view.world, contents.events),
  };
});

export const deleteRehearsal = operateOnRehearsals(declared.deleteRehearsal)(async ({ params }, { worlds }) => {
  // A default rehearsal that cannot be used is deleted, and seeded anew by its next use.
  if (params.name === DEFAULT_REHEARSAL && !(await worlds.foreignOf(params.name))) {
    throw new Problem(
      'forbidden',
      'The default rehearsal cannot be deleted. Reset it instead: POST /_control/reset, or the command `rehearsals reset default`.',
    );
  }
  if (!(await worlds.remove(params.name))) throw unknownRehearsal(params.name);
  return null;
});

export const resetRehearsal = operate(declared.resetRehearsal)(async ({ body: { swap } }, scope) => {
  const { rehearsal, rehearsals, worlds } = scope;
  await rehearsals.reset(rehearsal, swap as SwapChanges | undefined);
  const begun = await describeNewWorld(rehearsal, worlds);
  return swap === undefined ? begun : { ...begun, estateCalls: await estateCallsOf(scope, await rehearsals.find(rehearsal)) };
});

/** By swapped application: the permission of its real system to call the estate. */
async function estateCallsOf({ worlds, realSystems }: Pick<ControlParts, 'worlds' | 'realSystems'>, view: WorldView) {
  const swapped = await swappedIn(worlds, view.world);
  return swapped.length > 0 ? Object.fromEntries(swapped.map((one) => [one, realSystems.credentialFor(one, view)])) : undefined;
}

type Reading = Pick<ControlParts, 'worlds' | 'control' | 'objects'>;

/** What a world contains. Each number is read from a counter, without a scan. */
async function countContents({ worlds, control, objects }: Reading, world: World, events: number) {
  const [journal, { rules }, { counts }, types] = await Promise.all([
    worlds.journalSize(world),
    control.faults(world),
    // The numbers count all work, even when the lists are cut.
    worlds.ledger(world, 1),
    countTypes(worlds, world, objects),
  ]);
  return {
    traces: journal.traces,
    hops: journal.hops,
    events,
    faults: rules.length,
    parked: counts.parked,
    objects: Object.fromEntries(types.flatMap(({ type, states }) => (Object.keys(states).length > 0 ? [[type, states]] : []))),
  };
}
