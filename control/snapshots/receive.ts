import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { z } from 'zod';
import type { Snapshot } from '../../shared/catalog/control/operations/snapshots.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { fileIn } from '../../shared/http/request-body.ts';
import { type Accepted, type CheckOptions, checkFile } from './check-file.ts';
import { type SnapshotFile, sealed } from './snapshot-file.ts';

export type SnapshotHead = z.output<typeof Snapshot>;

/** A snapshot, ready to be kept. */
export interface PackedSnapshot {
  readonly head: SnapshotHead;
  /** The compressed file. */
  readonly content: Uint8Array;
}

/** An upload whose JSON is not parsed yet. */
export interface ReceivedFile extends Accepted {
  readonly bytes: Uint8Array;
  /** Undefined: the name in the file. */
  readonly name: string | undefined;
}

/**
 * Checks an upload, and packs it. @param gone ends the check: its client has disconnected
 * @throws Problem malformed_request, validation_failed, payload_too_large; the reason of the signal
 */
export type Receive = (received: ReceivedFile, gone: AbortSignal) => Promise<PackedSnapshot>;

/** @param most limit of the file's size, in bytes */
export async function receive(
  { bytes, name, ...accepted }: ReceivedFile,
  options: CheckOptions & { readonly most: number },
): Promise<PackedSnapshot> {
  const value = fileIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  const file = await checkFile(value, accepted, options);
  return packed({ ...file, name: name ?? file.name }, options);
}

const compressed = promisify(gzip);

/** @throws Problem payload_too_large */
export async function packed(
  file: SnapshotFile,
  { most, breathe }: { readonly most: number; readonly breathe: Breathe },
): Promise<PackedSnapshot> {
  const { digest, text } = await sealed(file, breathe);
  if (text.length > most) {
    throw new Problem('payload_too_large', `The snapshot has ${text.length} bytes; MAX_SNAPSHOT_BYTES allows ${most}. Raise the variable.`);
  }
  const { name, rehearsal, takenAt, clock, estate, applications, events } = file;
  const rows = Object.values(applications).flatMap(({ objects }) => Object.values(objects));
  const objects = rows.reduce((sum, { length }) => sum + length, 0);
  const head = { name, rehearsal, takenAt, now: clock.now, estate, digest, bytes: text.length, objects, events: events.length };
  return { head, content: await compressed(text) };
}
