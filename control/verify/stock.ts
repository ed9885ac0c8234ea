import { checkCarryOuts } from './carry-outs.ts';
import { checkEndedHolds } from './ended-holds.ts';
import { type Check, findings, type InvariantResult, sums } from './invariant.ts';
import { type HeldFor, type Hold, keyOf, remainingUnitsOf, reservedUnits } from './reserved-units.ts';
import { checkShipped } from './shipped-stock.ts';
import type { WorldRecords } from './world-records.ts';

export function stock(world: WorldRecords): InvariantResult {
  const { check, result } = findings(
    'stock',
    'Per SKU and location: no count is negative, open reservations equal the reserved units, no unit appears or vanishes, and no ended basket, order or sale holds stock',
  );
  checkStockLevels(world, check);
  checkReservations(world, check);
  checkShipped(world, check);
  checkCarryOuts(world, check);
  checkEndedHolds(world, check);
  return result();
}

const UNITS = ['shipped', 'carriedOut', 'writtenOff', 'returned', 'found', 'scrapped', 'foundAndSold'] as const;

/** Stock levels are never negative, match the open reservations, and add up to what was received. */
function checkStockLevels(world: WorldRecords, check: Check): void {
  const counters = world.counters('inventory-service', 'stock');
  const moved = world.counters('inventory-service', 'units-moved');
  const atSeed = world.seed.applications['inventory-service']?.counters ?? {};
  const seeded = atSeed['stock'] ?? {};
  const reservedByKey = sums(reservedUnits(world), keyOf, ({ qty }) => qty);
  for (const key of new Set([...Object.keys(counters), ...Object.keys(seeded), ...Object.keys(moved), ...reservedByKey.keys()])) {
    const { onHand = 0, reserved = 0, safetyStock = 0 } = counters[key] ?? {};
    check(onHand >= 0 && reserved >= 0, `stock/${key}: on hand ${onHand}, reserved ${reserved}`);
    check(onHand - reserved - safetyStock >= 0, `stock/${key}: ATP ${onHand - reserved - safetyStock}`);
    check(
      (reservedByKey.get(key) ?? 0) === reserved,
      `stock/${key}: open reservations hold ${reservedByKey.get(key) ?? 0}, reserved is ${reserved}`,
    );
    const [shipped, carriedOut, writtenOff, returned, found, recounted] = (
      ['shipped', 'carriedOut', 'writtenOff', 'returned', 'found', 'recounted'] as const
    ).map(
      // A world may be seeded from another one: only changes since the seed count.
      (unit) => (moved[key]?.[unit] ?? 0) - (atSeed['units-moved']?.[key]?.[unit] ?? 0),
    ) as [number, number, number, number, number, number];
    const received = seeded[key]?.['onHand'] ?? 0;
    check(
      received + returned + found + recounted === onHand + shipped + carriedOut + writtenOff,
      `stock/${key}: received ${received} + returned ${returned} + found ${found} + recounted ${recounted} is not on hand ${onHand} + shipped ${shipped} + carried out ${carriedOut} + written off ${writtenOff}`,
    );
    check(
      UNITS.every((unit) => (moved[key]?.[unit] ?? 0) >= 0),
      `stock/${key}: units moved are negative: ${JSON.stringify(moved[key])}`,
    );
  }
}

/** Compares each reservation with its own units. In the sum, one unit too many and one too few would cancel out. */
function checkReservations(world: WorldRecords, check: Check): void {
  const holds = world.records<Hold>('inventory-service', 'holds').filter(({ state }) => state === 'held');
  const byReservation = (units: readonly HeldFor[]) =>
    sums(
      units,
      (one) => `reservation/${one.reservationId}: of ${keyOf(one)}`,
      ({ qty }) => qty,
    );
  const inReservations = byReservation(reservedUnits(world));
  const inHolds = byReservation(holds.flatMap(remainingUnitsOf));
  for (const key of new Set([...inReservations.keys(), ...inHolds.keys()])) {
    const [has = 0, counted = 0] = [inReservations.get(key), inHolds.get(key)];
    check(has === counted, `${key} it has ${has}, and ${counted} are held for it`);
  }
}
