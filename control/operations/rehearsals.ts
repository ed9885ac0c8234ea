import * as declared from '../../shared/catalog/control/operations/rehearsals.ts';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { carrierWebhook } from '../../shared/catalog/fulfillment/apis.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import type { Swaps } from '../../shared/catalog/swap.ts';
import { idleExpiryMs } from '../../shared/domain/duration.ts';
import { DEFAULT_REHEARSAL, newId } from '../../shared/domain/ids.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import { countTypes } from '../objects/types.ts';
import { type ControlParts, operate, operateOnRehearsals } from '../operate.ts';
import { describeLifetime, describeNewWorld, describeRehearsal } from '../rehearsals/describe.ts';
import { unknownRehearsal } from '../rehearsals/rehearsals.ts';
import { swappedIn } from '../swaps/swaps.ts';

export const createRehearsal = operateOnRehearsals(declared.createRehearsal)(async ({ body }, { rehearsals, worlds, realSystems }) => {
  const name = body.name ?? newId('req', Date.now()).replace('req_', 'r-').toLowerCase();
  const { credentials, leftOut } = await rehearsals.create(name, {
    idleMs: idleMsOf(body),
    data: body.data,
    swap: body.swap as Swaps | undefined,
  });
  const view = await rehearsals.find(name);
  const swapped = await swappedIn(worlds, view.world);
  return {
    ...(await describeNewWorld(name, worlds)),
    credentials: { ...credentials, webhookUrl: `${carrierWebhook.path}?rehearsal=${name}` },
    estateCalls: swapped.length > 0 ? Object.fromEntries(swapped.map((one) => [one, realSystems.credentialFor(one, view)])) : undefined,
    leftOut: leftOut && [...leftOut],
  };
});

/** @returns null to keep the rehearsal, undefined for the configured idle time */
function idleMsOf({ idleExpiry, keep }: { readonly idleExpiry?: string; readonly keep: boolean }): Ms | null | undefined {
  if (idleExpiry === undefined) return keep ? null : undefined;
  if (keep) {
    throw invalid('/idleExpiry', 'not_together', 'A rehearsal that is kept has no idle expiry: give either keep or idleExpiry.');
  }
  try {
    return idleExpiryMs(idleExpiry);
  } catch (error) {
    throw invalid('/idleExpiry', 'invalid_duration', (error as Error).message);
  }
}

export const listRehearsals = operateOnRehearsals(declared.listRehearsals)(async (_input, { worlds }) => ({
  items: (await worlds.list()).map(describeRehearsal),
}));

/** Reading does not count as use: a console that shows a rehearsal does not keep it alive. */
export const readRehearsal = operateOnRehearsals(declared.readRehearsal)(async ({ params: { name } }, parts) => {
  const { rehearsals, worlds } = parts;
  const view = await rehearsals.find(name);
  const record = await worlds.record(name);
  if (!record?.current) throw unknownRehearsal(name);
  const { createdAt, contents } = record.current;
  const data = await worlds.ownData(view.world);
  return {
    name,
    world: view.world,
    createdAt,
    now: instant(view.now),
    ...describeLifetime(record),
    flowing: view.flowing,
    progression: progressionOf(view),
    data: data && Object.fromEntries(Object.entries(data).map(([file, rows]) => [file, Array.isArray(rows) ? rows.length : 1])),
    counts: await countContents(parts, view.world, contents.events),
  };
});

export const deleteRehearsal = operateOnRehearsals(declared.deleteRehearsal)(async ({ params }, { worlds }) => {
  if (params.name === DEFAULT_REHEARSAL) {
    throw new Problem(
      'forbidden',
      'The default rehearsal cannot be deleted. Reset it instead: POST /_control/reset, or the command `rehearsals reset default`.',
    );
  }
  if (!(await worlds.remove(params.name))) throw unknownRehearsal(params.name);
  return null;
});

export const resetRehearsal = operate(declared.resetRehearsal)(async (_input, { rehearsal, rehearsals, worlds }) => {
  await rehearsals.reset(rehearsal);
  return describeNewWorld(rehearsal, worlds);
});

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
