import type { World } from '../../shared/domain/world.ts';
import type { EventReader } from '../../shared/store/ports/inspection.ts';
import type { LedgerStore } from '../../shared/store/ports/ledger.ts';
import type { SnapshotStore } from '../../shared/store/ports/snapshots.ts';
import { eventVersions } from './verify/event-versions.ts';
import { fulfilment } from './verify/fulfilment.ts';
import { type EstateObjects, readWorld } from './verify/held-world.ts';
import type { InvariantResult } from './verify/invariant.ts';
import { money } from './verify/money.ts';
import { moving } from './verify/moving.ts';
import { oneEffect } from './verify/one-effect.ts';
import { points } from './verify/points.ts';
import { replay } from './verify/replay.ts';
import { returns } from './verify/returns.ts';
import { stock } from './verify/stock.ts';
import { till } from './verify/till.ts';

const invariants = [money, points, stock, fulfilment, returns, till, oneEffect, eventVersions, moving, replay];

/** Computes the invariants over a whole world. Each violation names the records that break it. */
export async function verifyWorld(
  worlds: SnapshotStore & LedgerStore & EventReader,
  world: World,
  objects: EstateObjects,
): Promise<InvariantResult[]> {
  const held = await readWorld(worlds, world, objects);
  return invariants.map((invariant) => invariant(held));
}
