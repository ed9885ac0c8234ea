import { createGunzip } from 'node:zlib';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { parsedInPieces } from '../../shared/domain/json-pieces.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import { JsonText } from '../../shared/http/json-answer.ts';
import { type InSlices, NEVER_GONE } from '../../shared/process/slices.ts';
import { createSequence, inShortTurns, joinedBreathing, pause } from '../../shared/process/waiting.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import type { Directory, WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { SnapshotStore } from '../../shared/store/ports/snapshots.ts';
import type { ExportedWorld, WorldDataStore } from '../../shared/store/ports/world-data.ts';
import type { BookedWorld } from '../books/books.ts';
import type { ClockDriver } from '../clock/driver.ts';
import { swapsOf } from '../swaps/swaps.ts';
import type { ForbiddenChanges } from '../verify/forbidden-changes.ts';
import type { EstateObjects } from '../verify/world-records.ts';
import { fitted } from './check-file.ts';
import { compare } from './compare.ts';
import { converted } from './conversions.ts';
import { type EstateData, indexedBy, ofServices } from './estate-data.ts';
import { type PackedSnapshot, packed, type Receive, type ReceivedFile, type SnapshotHead } from './receive.ts';
import { fileOf, inMotion, type SnapshotFile, sealed, VERSION, worldOf } from './snapshot-file.ts';

interface SnapshotsOptions {
  readonly estate: EstateData;
  readonly receive: Receive;
  /** Runs a long computation in slices. */
  readonly inSlices: InSlices;
  readonly worlds: SnapshotStore & WorldDataStore & Directory & Pick<JournalReader, 'journalOf'> & Pick<ObjectReader, 'object'>;
  readonly driver: Pick<ClockDriver, 'settle'>;
  readonly forbiddenChanges: Pick<ForbiddenChanges, 'of'>;
  readonly limits: {
    /** Maximum number of snapshots. */
    readonly most: number;
    /** Maximum size of a file, in bytes. */
    readonly bytes: number;
  };
  /** Version of the estate. */
  readonly version: string;
}

interface Patience {
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
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

/** The library's function for a whole buffer joins its pieces in one turn. */
async function decompressed(content: Uint8Array): Promise<Buffer> {
  const unzip = createGunzip();
  unzip.end(content);
  const chunks: Buffer[] = [];
  for await (const chunk of unzip) chunks.push(chunk as Buffer);
  return joinedBreathing(chunks, inShortTurns());
}

/** Keeps worlds as files, and opens them again. */
export function createSnapshots(options: SnapshotsOptions) {
  const { worlds, driver, forbiddenChanges, limits, version, estate, receive, inSlices } = options;
  const indexed = indexedBy(estate);
  const oneByOne = createSequence();

  /** Files are made and read one after the other, because each takes a multiple of its size. */
  function alone<T>(gone: AbortSignal, make: (breathe: Breathe) => Promise<T>): Promise<T> {
    return oneByOne(() => inSlices(gone, make));
  }

  /** @throws Problem not_at_rest naming the open work; unknown_rehearsal when it was replaced; swapped, because a real system has a part of the state or gets the same calls */
  async function settled(view: WorldView, { gone, withinMs = SETTLE_MS }: Partial<Patience> = {}): Promise<void> {
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
      if (Date.now() >= until || gone.aborted) throw notAtRest(view.rehearsal, waitingFor);
      await pause(LOOK_AGAIN_MS, gone);
    }
  }

  async function keep({ head, content }: PackedSnapshot): Promise<SnapshotHead> {
    const kept = await worlds.keepSnapshot({ name: head.name, head: JSON.stringify(head), content }, limits.most);
    if (kept) return head;
    throw new Problem(
      'too_many_snapshots',
      `There are ${limits.most} snapshots, which is the limit of MAX_SNAPSHOTS. Delete one, or use the name of one to replace it.`,
      { most: limits.most },
    );
  }

  /** The text of a snapshot. @throws Problem not_found */
  async function read(name: string): Promise<Buffer> {
    const content = await worlds.snapshot(name);
    if (!content) throw notFound('snapshot', name);
    return decompressed(content);
  }

  /** Snapshots that fit, by digest: a snapshot stays as it is. */
  const fitting = new Set<string | undefined>();

  /** Another release may have kept the snapshot. @throws Problem incompatible_world */
  async function requireFit(name: string, file: SnapshotFile, breathe: Breathe): Promise<SnapshotFile> {
    if (fitting.has(file.digest)) return converted(file, file.version, breathe);
    const found = await fitted(file, file.version, { estate, breathe });
    if ('misfit' in found) {
      const remedy = `Delete it with DELETE /_control/snapshots/${name}, or run the release that took it.`;
      const detail = `The snapshot "${name}" does not have the formats of this estate, which uses version ${VERSION}: ${found.misfit} ${remedy}`;
      throw new Problem('incompatible_world', detail, { snapshot: name, formats: file.version, reads: VERSION });
    }
    if (fitting.size >= limits.most) fitting.clear();
    fitting.add(file.digest);
    return found.file;
  }

  const headOf = (name: string, rehearsal: string) => ({ estate: version, name, rehearsal, takenAt: instant(Date.now()) });

  return {
    settled,
    read: async (name: string): Promise<JsonText> => new JsonText(await read(name)),
    async list(): Promise<SnapshotHead[]> {
      return [...(await worlds.snapshots()).values()].map((head) => JSON.parse(head) as SnapshotHead);
    },
    /** Returns the file of a world with its journal, and keeps nothing. @throws Problem not_at_rest */
    async exported(view: WorldView, gone: AbortSignal): Promise<JsonText> {
      const exported = await exportAtRest(view, { gone });
      const { entries: hops } = await worlds.journalOf(view.world);
      const forbidden = await forbiddenChanges.of(view);
      return alone(gone, async (breathe) => {
        const file = await fileOf(exported, headOf(view.rehearsal, view.rehearsal), { hops, forbidden, breathe });
        return new JsonText((await sealed(file, breathe)).text);
      });
    },
    /** @throws Problem not_at_rest, payload_too_large, too_many_snapshots */
    async save(view: WorldView, name: string, { journal, ...patience }: Saving): Promise<SnapshotHead> {
      const exported = await exportAtRest(view, patience);
      const hops = journal ? (await worlds.journalOf(view.world)).entries : undefined;
      const forbidden = await forbiddenChanges.of(view);
      const made = await alone(patience.gone, async (breathe) => {
        const file = await fileOf(exported, headOf(name, view.rehearsal), { hops, forbidden, breathe });
        return packed(file, { most: limits.bytes, breathe });
      });
      return keep(made);
    },
    /** @throws Problem malformed_request, validation_failed with mistakes, payload_too_large, too_many_snapshots */
    async upload(
      { dryRun, ...received }: ReceivedFile & { readonly dryRun: boolean },
      gone: AbortSignal,
    ): Promise<SnapshotHead & { kept: boolean }> {
      const made = await receive(received, gone);
      return { ...(dryRun ? made.head : await keep(made)), kept: !dryRun };
    },
    /** The world of a snapshot. @throws Problem not_found */
    async open(name: string, gone = NEVER_GONE): Promise<ExportedWorld> {
      return oneByOne(async () => {
        const bytes = await read(name);
        return inSlices(gone, async (breathe) => {
          const kept = (await parsedInPieces(bytes, breathe)) as SnapshotFile;
          const file = await requireFit(name, kept, breathe);
          return { ...(await worldOf(file, indexed, breathe)), origin: name };
        });
      });
    },
    /** The differences between two worlds. */
    compared: (from: BookedWorld, to: BookedWorld, { objects, gone }: { readonly objects: EstateObjects; readonly gone: AbortSignal }) =>
      alone(gone, (breathe) => compare(from, to, { objects, breathe })),
    /** @throws Problem not_found */
    async remove(name: string): Promise<void> {
      if (!(await worlds.removeSnapshot(name))) throw notFound('snapshot', name);
    },
  };
}

export type Snapshots = ReturnType<typeof createSnapshots>;

export const notAtRest = (rehearsal: string, waitingFor: readonly string[]): Problem =>
  new Problem(
    'not_at_rest',
    `The rehearsal "${rehearsal}" is still busy: ${waitingFor.join(', ')}. Repeat the request when it is at rest.`,
    {
      rehearsal,
      waitingFor: [...waitingFor],
    },
  );
