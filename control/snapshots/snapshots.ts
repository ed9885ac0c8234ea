import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { z } from 'zod';
import type { Snapshot } from '../../shared/catalog/control/operations/snapshots.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import { pause } from '../../shared/process/waiting.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import type { Directory, WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { SnapshotStore } from '../../shared/store/ports/snapshots.ts';
import type { ExportedWorld, WorldDataStore } from '../../shared/store/ports/world-data.ts';
import type { ClockDriver } from '../clock/driver.ts';
import { swapsOf } from '../swaps/swaps.ts';
import { type CheckOptions, checkFile } from './check-file.ts';
import { indexedBy, ofServices } from './estate-data.ts';
import { fileOf, inMotion, type SnapshotFile, worldOf } from './snapshot-file.ts';

type SnapshotHead = z.output<typeof Snapshot>;

interface SnapshotsOptions extends CheckOptions {
  readonly worlds: SnapshotStore & WorldDataStore & Directory & Pick<JournalReader, 'journalOf'> & Pick<ObjectReader, 'object'>;
  readonly driver: Pick<ClockDriver, 'settle'>;
  readonly limits: {
    /** Maximum number of snapshots. */
    readonly most: number;
    /** Maximum size of a file, in bytes. */
    readonly bytes: number;
  };
  /** Version of the estate. */
  readonly version: string;
}

interface Uploading {
  readonly name: string | undefined;
  readonly dryRun: boolean;
  readonly reseal: boolean;
  readonly unverified: boolean;
}

interface Patience {
  /** Aborted when the client has disconnected. */
  readonly gone?: AbortSignal;
  /** Wall time. */
  readonly withinMs?: Ms;
}

interface Saving extends Patience {
  /** Whether the hops of the journal are kept. */
  readonly journal: boolean;
}

/** Wall time that a world gets to come to rest. */
const SETTLE_MS = 10_000;
/** Wall time between two exports of a world whose requests are running. */
const LOOK_AGAIN_MS = 200;

const compressed = promisify(gzip);
const decompressed = promisify(gunzip);

/** Keeps worlds as files, and opens them again. */
export function createSnapshots(options: SnapshotsOptions) {
  const { worlds, driver, limits, version, estate } = options;
  const indexed = indexedBy(estate);

  /** @throws Problem not_at_rest naming the open work; swapped, because a real system has a part of the state or gets the same calls */
  async function settled(view: WorldView, { gone, withinMs = SETTLE_MS }: Patience = {}): Promise<void> {
    const applications = (await swapsOf(worlds, view.world)).map(([application]) => application);
    if (applications.length > 0) {
      const reason = `A real system takes part in ${applications.join(', ')}, and the estate cannot keep or copy its state.`;
      throw new Problem('swapped', `${reason} Create a rehearsal without the swap.`, { applications });
    }
    const { settled: isSettled, waitingFor } = await driver.settle(view.world, withinMs, gone);
    if (!isSettled) throw notAtRest(view.rehearsal, waitingFor);
  }

  /** @throws Problem not_at_rest */
  async function exportAtRest(view: WorldView, patience: Patience): Promise<ExportedWorld> {
    const { gone, withinMs = SETTLE_MS } = patience;
    const until = Date.now() + withinMs;
    for (;;) {
      await settled(view, { gone, withinMs: Math.max(0, until - Date.now()) });
      const exported = ofServices(await worlds.exportWorld(view.world), estate);
      const waitingFor = inMotion(exported);
      if (waitingFor.length === 0) return exported;
      if (Date.now() >= until || gone?.aborted) throw notAtRest(view.rehearsal, waitingFor);
      await pause(LOOK_AGAIN_MS, gone);
    }
  }

  async function keep(file: SnapshotFile, name: string, { dryRun }: { readonly dryRun: boolean }): Promise<SnapshotHead> {
    const text = JSON.stringify(file);
    const bytes = Buffer.byteLength(text);
    if (bytes > limits.bytes) {
      throw new Problem(
        'payload_too_large',
        `The snapshot has ${bytes} bytes; MAX_SNAPSHOT_BYTES allows ${limits.bytes}. Raise the variable.`,
      );
    }
    const head = headOf(file, name, bytes);
    if (dryRun) return head;
    const kept = await worlds.keepSnapshot({ name, head: JSON.stringify(head), content: await compressed(text) }, limits.most);
    if (kept) return head;
    throw new Problem(
      'too_many_snapshots',
      `There are ${limits.most} snapshots, which is the limit of MAX_SNAPSHOTS. Delete one, or use the name of one to replace it.`,
      { most: limits.most },
    );
  }

  /** @throws Problem not_found */
  async function read(name: string): Promise<SnapshotFile> {
    const content = await worlds.snapshot(name);
    if (!content) throw notFound('snapshot', name);
    return JSON.parse((await decompressed(content)).toString()) as SnapshotFile;
  }

  return {
    settled,
    read,
    async list(): Promise<SnapshotHead[]> {
      return [...(await worlds.snapshots()).values()].map((head) => JSON.parse(head) as SnapshotHead);
    },
    /** Returns the file of a world with its journal, and keeps nothing. @throws Problem not_at_rest */
    async exported(view: WorldView): Promise<SnapshotFile> {
      const exported = await exportAtRest(view, {});
      const { entries } = await worlds.journalOf(view.world);
      const { rehearsal } = view;
      return fileOf(exported, { estate: version, name: rehearsal, rehearsal, takenAt: instant(Date.now()) }, entries);
    },
    /** @throws Problem not_at_rest, payload_too_large, too_many_snapshots */
    async save(view: WorldView, name: string, { journal, ...patience }: Saving): Promise<SnapshotHead> {
      const exported = await exportAtRest(view, patience);
      const hops = journal ? (await worlds.journalOf(view.world)).entries : undefined;
      const head = { estate: version, name, rehearsal: view.rehearsal, takenAt: instant(Date.now()) };
      return keep(fileOf(exported, head, hops), name, { dryRun: false });
    },
    /** @throws Problem validation_failed with all mistakes, payload_too_large, too_many_snapshots */
    async upload(sent: unknown, { name, dryRun, ...accepted }: Uploading): Promise<SnapshotHead & { kept: boolean }> {
      const { file, world } = await checkFile(sent, accepted, options);
      const { estate: from, rehearsal, takenAt } = file;
      const named = fileOf(world, { estate: from, name: name ?? file.name, rehearsal, takenAt });
      return { ...(await keep(named, named.name, { dryRun })), kept: !dryRun };
    },
    /** The world of a snapshot. @throws Problem not_found */
    async open(name: string): Promise<ExportedWorld> {
      return { ...worldOf(await read(name), indexed), origin: name };
    },
    /** @throws Problem not_found */
    async remove(name: string): Promise<void> {
      if (!(await worlds.removeSnapshot(name))) throw notFound('snapshot', name);
    },
  };
}

export type Snapshots = ReturnType<typeof createSnapshots>;

function headOf(
  { rehearsal, takenAt, clock, estate, digest = '', applications, events }: SnapshotFile,
  name: string,
  bytes: number,
): SnapshotHead {
  const rows = Object.values(applications).flatMap(({ objects }) => Object.values(objects));
  const objects = rows.reduce((sum, { length }) => sum + length, 0);
  return { name, rehearsal, takenAt, now: clock.now, estate, digest, bytes, objects, events: events.length };
}

export const notAtRest = (rehearsal: string, waitingFor: readonly string[]): Problem =>
  new Problem(
    'not_at_rest',
    `The rehearsal "${rehearsal}" is still busy: ${waitingFor.join(', ')}. Repeat the request when it is at rest.`,
    {
      rehearsal,
      waitingFor: [...waitingFor],
    },
  );
