import type { World } from '../../shared/domain/world.ts';
import { eventVersions, oneEffect, replay } from './events.ts';
import { fulfillment } from './fulfillment.ts';
import type { InvariantResult } from './invariant.ts';
import { money } from './money.ts';
import { moving, parkedWork } from './moving.ts';
import { points } from './points.ts';
import { returns } from './returns.ts';
import { type Breathe, inOneSlice } from './slices.ts';
import { stock } from './stock.ts';
import { till } from './till.ts';
import { type EstateObjects, readWorld, type WorldReader } from './world-records.ts';

const invariants = [money, points, stock, fulfillment, returns, till, oneEffect, eventVersions, moving, parkedWork, replay];

export async function verifyWorld(
  worlds: WorldReader,
  world: World,
  objects: EstateObjects,
  breathe: Breathe = inOneSlice,
): Promise<InvariantResult[]> {
  const records = await readWorld(worlds, world, { objects, breathe });
  const results: InvariantResult[] = [];
  for (const invariant of invariants) {
    await breathe();
    results.push(await invariant(records, breathe));
  }
  return results;
}
