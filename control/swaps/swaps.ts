import { z } from 'zod';
import { applications } from '../../shared/catalog/applications.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import {
  changedSwap,
  isSwappable,
  type KeptAnswers,
  MOST_KEPT,
  type Swap,
  type SwapChanges,
  type SwappableApplication,
  Swaps,
  swappable,
} from '../../shared/catalog/swap.ts';
import { parseBody } from '../../shared/contract/validation.ts';
import { eachBreathing } from '../../shared/domain/breathe.ts';
import type { World } from '../../shared/domain/world.ts';
import { EMPTY_FIDELITY, type FidelityLog, fidelityLogs, notCompared } from '../../shared/elsewhere/shadow/stored-fidelity.ts';
import { keptAnswers } from '../../shared/elsewhere/swap/kept-answers.ts';
import {
  EMPTY_LOG,
  keptRecords,
  type SeededSwaps,
  type StoredSwap,
  type SwapLog,
  swapLogs,
  swaps,
} from '../../shared/elsewhere/swap/stored-swap.ts';
import { type Outbound, OutboundRefused } from '../../shared/http/outbound.ts';
import { inShortTurns } from '../../shared/process/waiting.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import { retailers } from '../../shared/work/figures.ts';

type Reader = Pick<ObjectReader, 'object'>;

/** The names of the swapped applications of a world, sorted as in the catalog. They are read at the OMS, which is never swapped. */
export const swappedIn = async (worlds: Reader, world: World): Promise<readonly SwappableApplication[]> =>
  (await retailerOf(worlds, world))?.swapped ?? [];

async function retailerOf(worlds: Reader, world: World): Promise<z.output<typeof retailers.schema> | undefined> {
  const row = await worlds.object(world, 'oms', retailers.name, 'retailer');
  return row && JSON.parse(row.json);
}

/** As `swappedIn`, but undefined in a rehearsal without swaps. */
export async function unseenIn(worlds: Reader, world: World): Promise<string[] | undefined> {
  const swapped = await swappedIn(worlds, world);
  return swapped.length === 0 ? undefined : [...swapped];
}

/** How each application of a world is swapped or shadowed, sorted as in the catalog. */
export async function swapsOf(worlds: Reader, world: World): Promise<readonly (readonly [SwappableApplication, StoredSwap])[]> {
  const { swapped = [], shadowed = [] } = (await retailerOf(worlds, world)) ?? {};
  const found = await Promise.all(
    [...swapped, ...shadowed].map(async (application) => {
      const row = await worlds.object(world, application, swaps.name, 'swap');
      return row ? [[application, JSON.parse(row.json) as StoredSwap] as const] : [];
    }),
  );
  return found.flat();
}

/** The swaps that the request for a rehearsal contained. A reset keeps them. */
export async function requestedSwaps(worlds: Reader, world: World): Promise<SeededSwaps | undefined> {
  const requested = (await swapsOf(worlds, world)).filter(([, { isDefault }]) => !isDefault);
  return requested.length === 0
    ? undefined
    : Object.fromEntries(requested.map(([application, { id: _id, version: _version, ...swap }]) => [application, swap]));
}

const Changed = z.strictObject({ swap: Swaps });

/**
 * The requested swaps of a world after changes. An ended swap leaves the one that the variables of the estate name.
 * @throws Problem validation_failed, outbound_refused
 */
export async function changedSwaps(outbound: Outbound, worlds: Reader, world: World, changes: SwapChanges): Promise<SeededSwaps> {
  const stored = new Map<string, Swap>(
    (await swapsOf(worlds, world)).map(([application, { id: _id, version: _version, isDefault: _isDefault, ...swap }]) => [
      application,
      swap,
    ]),
  );
  const given = Object.entries(changes).filter(([application]) => isSwappable(application));
  const swap = Object.fromEntries(
    given.flatMap(([application, change]) => (change === null ? [] : [[application, changedSwap(stored.get(application), change)]])),
  );
  const changed = await permittedSwaps(outbound, (parseBody(Changed, { swap }) as z.output<typeof Changed>).swap as Swaps);
  const kept = Object.entries((await requestedSwaps(worlds, world)) ?? {}).filter(([application]) => !Object.hasOwn(changes, application));
  return { ...Object.fromEntries(kept), ...changed };
}

/** Checks the addresses of requested swaps. @throws Problem outbound_refused with all addresses that are not permitted */
export async function permittedSwaps(outbound: Outbound, requested: Swaps): Promise<SeededSwaps> {
  const refused = await Promise.all(
    Object.entries(requested).map(async ([application, { url }]) => {
      const detail = url === undefined ? undefined : await reasonAgainst(outbound, url);
      return detail === undefined ? [] : [{ pointer: `/swap/${application}/url`, code: 'outbound_refused', detail }];
    }),
  );
  const errors = refused.flat();
  if (errors.length > 0) throw outboundRefused(errors);
  return Object.fromEntries(Object.entries(requested).map(([application, swap]) => [application, { ...swap, isDefault: false }]));
}

/** The answers of the real system of an application in a world. @throws Problem not_swapped */
export async function readAnswers(worlds: Pick<ObjectReader, 'object' | 'all'>, world: World, name: string): Promise<KeptAnswers> {
  const [application, swap] = (await swapsOf(worlds, world)).find(([one]) => one === name) ?? [];
  if (!application || !swap?.keep) {
    const why = swap ? 'does not keep answers: create the rehearsal with "keep": true in its swap' : 'is not swapped in this rehearsal';
    throw new Problem('not_swapped', `${name} ${why}.`, { application: name });
  }
  const rows = await worlds.all(world, application, keptRecords.name, { after: 0, limit: MOST_KEPT });
  const breathe = inShortTurns();
  const records = await eachBreathing(rows, breathe, ({ json }) => JSON.parse(json) as z.output<typeof keptRecords.schema>);
  const sorted = records.toSorted((one, other) => one.id.localeCompare(other.id));
  return keptAnswers(
    sorted.map(({ recorded }) => recorded),
    breathe,
  );
}

/** The results of the comparisons with real systems in the mode shadow so far. */
export async function readFidelity(worlds: Reader, world: World) {
  const shadowed = (await swapsOf(worlds, world)).filter(([, { mode }]) => mode === 'shadow');
  return Promise.all(
    shadowed.map(async ([application, { url, timeoutMs }]) => {
      const row = await worlds.object(world, application, fidelityLogs.name, 'fidelity');
      const log = row ? (JSON.parse(row.json) as FidelityLog) : EMPTY_FIDELITY;
      const operations = Object.entries(log.operations)
        .map(([api, counts]) => ({ api, ...counts }))
        .toSorted((one, other) => one.api.localeCompare(other.api));
      const total = (count: 'compared' | 'equal' | 'skipped'): number => operations.reduce((sum, one) => sum + one[count], 0);
      const totals = { compared: total('compared'), equal: total('equal'), skipped: total('skipped') };
      const { title } = applications[application];
      return { application, title, url, ...totals, operations, ...notCompared(log, timeoutMs), differences: log.differences };
    }),
  );
}

/** @throws Problem outbound_refused */
export async function requirePermitted(outbound: Outbound, pointer: string, url: string): Promise<void> {
  const detail = await reasonAgainst(outbound, url);
  if (detail !== undefined) throw outboundRefused([{ pointer, code: 'outbound_refused', detail }]);
}

const outboundRefused = (errors: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[]): Problem =>
  new Problem('outbound_refused', `${errors[0]?.detail}. The variable OUTBOUND_ALLOW of the estate lists what it may call.`, { errors });

async function reasonAgainst(outbound: Outbound, url: string): Promise<string | undefined> {
  try {
    await outbound.check(url);
    return undefined;
  } catch (error) {
    if (error instanceof OutboundRefused) return error.message;
    throw error;
  }
}

/** How a world swaps each application, and counts of the answers of the real systems. Values of headers stay hidden. */
export async function describeSwaps(worlds: Reader, world: World) {
  return Promise.all(
    (await swapsOf(worlds, world)).map(
      async ([application, { url, mode, keep, headers, timeoutMs, events, shadow, compare, isDefault }]) => {
        const row = await worlds.object(world, application, swapLogs.name, 'log');
        const { calls, failed, last, violations } = row ? (JSON.parse(row.json) as SwapLog) : EMPTY_LOG;
        return {
          application,
          title: applications[application].title,
          support: swappable[application],
          url,
          mode,
          keep,
          headers: Object.keys(headers),
          timeoutMs,
          events,
          ...(mode === 'shadow' && { shadow, compare }),
          from: isDefault ? ('variables' as const) : ('request' as const),
          calls,
          failed,
          last,
          violations,
        };
      },
    ),
  );
}
