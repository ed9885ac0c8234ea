import type { Mutant } from './mutant.ts';

export const stock: readonly Mutant[] = [
  {
    name: 'ATP includes the safety stock',
    file: 'services/inventory-service/levels.ts',
    from: 'level.onHand - level.reserved - level.safetyStock;',
    to: 'level.onHand - level.reserved;',
    killedBy: ['tests/services/inventory-service.test.ts'],
  },
  {
    name: 'The last unit of a node is not sold',
    file: 'services/inventory-service/reservations.ts',
    from: 'nodes.find(({ atp }) => atp >= qty)',
    to: 'nodes.find(({ atp }) => atp > qty)',
    killedBy: ['tests/services/inventory-service.test.ts'],
  },
  {
    name: 'A released reservation keeps its units',
    file: 'services/sim/reservations.ts',
    from: '  work.schedule(giveBackStockDue, id, work.now, {}, { beforeReply: true });\n',
    to: '',
    killedBy: ['tests/services/sim.test.ts'],
  },
  {
    name: 'A replaced reservation keeps its units',
    file: 'services/inventory-service/reservations.ts',
    from: '  for (const one of freed) giveBack(',
    to: '  for (const one of freed.slice(1)) giveBack(',
    killedBy: ['tests/services/sim.test.ts'],
  },
  {
    name: 'Units that leave stay reserved',
    file: 'services/inventory-service/reservations.ts',
    from: "{ onHand: movement.kind === 'give-back' ? 0 : change, reserved: change }",
    to: "{ onHand: movement.kind === 'give-back' ? 0 : change }",
    killedBy: ['tests/services/stock-movements.test.ts'],
  },
  {
    name: 'A store does not count the units that a warehouse sent',
    file: 'services/inventory-service/reservations.ts',
    from: 'receive: { stock: 1, onTheWay: -1 }',
    to: 'receive: { stock: 0, onTheWay: -1 }',
    killedBy: ['tests/services/collection-transfer.test.ts'],
  },
  {
    name: 'A repeated stock movement moves the units again',
    file: 'services/inventory-service/reservations.ts',
    from: '  if (before) return { allocations: before.allocations };\n',
    to: '',
    killedBy: ['tests/services/stock-movements.test.ts'],
  },
  {
    name: 'A guard lets a counter fall to -1',
    file: 'shared/store/memory/commit.ts',
    from: 'if (after < 0 && after < before)',
    to: 'if (after < -1 && after < before)',
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'A counter of an uploaded file may be below zero',
    file: 'control/snapshots/check-file.ts',
    from: 'value < 0 && !signed.includes(field)',
    to: 'value > 1e15',
    killedBy: ['tests/control/snapshot-files.test.ts'],
  },
];
