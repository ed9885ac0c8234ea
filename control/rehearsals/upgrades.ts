import { isProblem } from '../../shared/catalog/problems.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { DEFAULT_REHEARSAL } from '../../shared/domain/ids.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { NEVER } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Logger } from '../../shared/process/logger.ts';
import type { State } from '../../shared/process/readiness.ts';
import { type InSlices, NEVER_GONE } from '../../shared/process/slices.ts';
import { pause } from '../../shared/process/waiting.ts';
import { PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { partsOfDelivery } from '../../shared/store/ports/outbox.ts';
import type { Directory, RehearsalStore } from '../../shared/store/ports/rehearsals.ts';
import type { ExportedWorld, WorldData, WorldDataStore } from '../../shared/store/ports/world-data.ts';
import {
  type Conversion,
  type ForeignWorld,
  type FormatsStore,
  incompatible,
  reasonAgainst,
} from '../../shared/store/ports/world-formats.ts';
import { isStoreUnavailable } from '../../shared/store/store-unavailable.ts';
import { fitted } from '../snapshots/check-file.ts';
import { type EstateData, indexedBy, ofServices } from '../snapshots/estate-data.ts';
import { fileOf, worldOf } from '../snapshots/snapshot-file.ts';
import type { InvariantResult } from '../verify/invariant.ts';
import type { WorldReader } from '../verify/world-records.ts';
import { conversionOf } from './conversion.ts';

interface UpgradesOptions {
  readonly worlds: FormatsStore & Directory & Pick<RehearsalStore, 'replace'> & Pick<WorldDataStore, 'exportWorld'>;
  readonly estate: EstateData;
  /** A store for one world, which is closed afterwards. */
  readonly scratch: () => Promise<StoreAdapter>;
  readonly verify: (worlds: WorldReader, world: World, breathe: Breathe) => Promise<InvariantResult[]>;
  readonly seed: (now: number) => WorldData;
  readonly inSlices: InSlices;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** Wall time between two attempts at a store that does not answer, and between two looks at the refused worlds. */
const RETRY_MS = 500;
const LOOK_MS = 5_000;
/** Refused worlds that `/readyz` names. */
const MOST_NAMED = 20;
/** Examinations of a world that an application of another release changes. Its next request examines it again. */
const MOST_TRIES = 3;
/** The invariant of parked work. A world may have parked work in every release. */
const PARKED = 'parked';

const NO_CREDENTIALS = { bearer: '', apiKey: '', webhookSecret: '' };

/**
 * Invariants hold in a world at rest, or whose events a fault withholds. An image is replaced at any time, so here events that are not sent
 * or not consumed yet count as withheld.
 */
function withheldWork(exported: ExportedWorld): ExportedWorld {
  const unconsumed = new Set(exported.pending.map((delivery) => partsOfDelivery(delivery).eventId));
  const events = [
    ...Object.values(exported.applications).flatMap(({ outbox = [] }) => outbox),
    ...exported.events.filter(({ id }) => unconsumed.has(id)),
  ];
  const common = {
    application: 'gateway',
    kind: PUBLISH_WITHHELD_EVENT,
    at: NEVER,
    attempts: 0,
    correlationId: '',
    withheldBy: 'upgrade',
  } as const;
  const withheld = events.map((payload, place) => ({ ...common, key: payload.id, seq: exported.dueSeq + 1 + place, payload }));
  return { ...exported, due: [...exported.due, ...withheld], dueSeq: exported.dueSeq + events.length };
}

/**
 * Examines the worlds of earlier releases. A world whose converted records fit, and whose invariants hold, gets these records and the
 * version of this estate; every other world is refused by name and stays as it is. Every gateway examines; an adoption is one step of the
 * store, so a gateway that dies leaves a world that the next gateway examines again.
 */
export function createUpgrades({ worlds, estate, scratch, verify, seed, inSlices, log, ...options }: UpgradesOptions) {
  const closing = new AbortController();
  const stopping = AbortSignal.any([options.stopping, closing.signal]);
  const running = new Map<string, Promise<void>>();
  let refused: readonly ForeignWorld[] = [];

  async function brokenIn(exported: ExportedWorld, breathe: Breathe): Promise<string | undefined> {
    const adapter = await scratch();
    try {
      const world = await adapter.worlds.open('examined', withheldWork(exported), NO_CREDENTIALS);
      const results = await verify(adapter.worlds, world, breathe);
      const broken = results.find(({ id, violations }) => id !== PARKED && violations.length > 0);
      return broken && `${broken.title} (${broken.id}): ${broken.violations[0]}`;
    } finally {
      await adapter.close();
    }
  }

  /** @returns why the world is refused, or what its adoption changes */
  async function examination({ world, rehearsal, formats }: ForeignWorld): Promise<string | Conversion> {
    try {
      const exported = await worlds.exportWorld(world);
      return await inSlices(NEVER_GONE, async (breathe) => {
        const head = { estate: 'examined', name: rehearsal, rehearsal, takenAt: new Date().toISOString() };
        const found = await fitted(await fileOf(ofServices(exported, estate), head, { breathe }), formats, { estate, breathe });
        if ('misfit' in found) return `Its records do not fit: ${found.misfit}`;
        const fitting = await worldOf(found.file, indexedBy(estate), breathe);
        const broken = await brokenIn(fitting, breathe);
        return broken === undefined ? conversionOf(exported, fitting, breathe) : `Its records break an invariant: ${broken}`;
      });
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      return `Its records cannot be read: ${errorMessage(error)}.`;
    }
  }

  async function adopted(found: ForeignWorld, conversion: Conversion): Promise<boolean> {
    if (!(await worlds.adopt(found, conversion))) return false;
    const { rehearsal, world } = found;
    log.info({ rehearsal, world, converted: conversion.changes.length }, 'a world of another release was adopted');
    return true;
  }

  async function examine(rehearsal: string, again = false): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const found = await worlds.foreignOf(rehearsal);
      if (!found) return;
      if (reasonAgainst(found) !== undefined || (found.refused !== undefined && !again)) break;
      if (rehearsal === DEFAULT_REHEARSAL && !found.used) {
        const seeded = await worlds.replace(rehearsal, seed(Date.now()), found.world);
        if (seeded) log.info({ rehearsal }, 'an unused world of another release was seeded anew');
        return;
      }
      const result = await examination(found);
      if (typeof result === 'string') {
        await worlds.refuse(found, result);
        break;
      }
      if (await adopted(found, result)) return;
    }
    const now = await worlds.foreignOf(rehearsal);
    if (now?.refused !== undefined) log.warn({ rehearsal, world: now.world }, incompatible(now));
  }

  /** Concurrent requests wait for the same examination. */
  function examineOnce(rehearsal: string): Promise<void> {
    const started = running.get(rehearsal) ?? examine(rehearsal).finally(() => running.delete(rehearsal));
    running.set(rehearsal, started);
    return started;
  }

  const note = async (): Promise<void> => {
    refused = (await worlds.foreign()).filter((one) => one.refused !== undefined);
  };

  /** Repeats until it succeeds. The store itself reports why it is unavailable. */
  async function insist(work: () => Promise<void>): Promise<void> {
    while (!stopping.aborted) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isStoreUnavailable(error)) log.error({ err: error }, 'examining the worlds of another release failed');
      }
      await pause(RETRY_MS, stopping);
    }
  }

  /** Each start examines refused worlds again: this release may know more than the one that refused them. */
  async function examineAll(): Promise<void> {
    for (const { rehearsal } of await worlds.foreign()) {
      if (stopping.aborted) return;
      await examine(rehearsal, true);
    }
    await note();
  }

  const examined = insist(examineAll);
  const watching = examined.then(async () => {
    while (!stopping.aborted) {
      await pause(LOOK_MS, stopping);
      if (refused.length > 0) await insist(note);
    }
  });

  return {
    /** Resolves when each world of another release has been adopted or refused. */
    examined,
    /** As the directory, but a world that was not examined yet is examined first. @throws Problem incompatible_world */
    async resolve(rehearsal: string): ReturnType<Directory['resolve']> {
      try {
        return await worlds.resolve(rehearsal);
      } catch (error) {
        if (!isProblem(error, 'dependency_unavailable') || error.context['rehearsal'] !== rehearsal) throw error;
        await examineOnce(rehearsal);
        return worlds.resolve(rehearsal);
      }
    },
    /** The refused worlds, for `/readyz`. */
    states(): readonly State[] {
      const left = refused.length - MOST_NAMED;
      const more = left > 0 ? [`${left} more worlds of another release are refused. GET /_control/rehearsals names them.`] : [];
      return [...refused.slice(0, MOST_NAMED).map(incompatible), ...more].map((degraded) => ({ ready: true, degraded }));
    },
    stop(): Promise<void> {
      closing.abort();
      return watching;
    },
  };
}
