import type { Mutant } from './mutant.ts';

export const clock: readonly Mutant[] = [
  {
    name: 'Due work begins one millisecond early',
    file: 'shared/store/memory/due-schedule.ts',
    from: 'if (top.item.at > upTo) break;',
    to: 'if (top.item.at > upTo + 1) break;',
    killedBy: ['tests/unit/due-schedule.test.ts'],
  },
  {
    name: 'Due work of one instant runs in any order',
    file: 'shared/store/memory/due-schedule.ts',
    from: 'a.item.at - b.item.at || a.place - b.place || a.item.seq - b.item.seq',
    to: 'a.item.at - b.item.at',
    killedBy: ['tests/unit/due-schedule.test.ts'],
  },
  {
    name: 'Advancing the clock leaves out the work of its last instant',
    file: 'control/clock/advance.ts',
    from: 'if (!next || next.at > to) {',
    to: 'if (!next || next.at >= to) {',
    killedBy: ['tests/control/advancing.test.ts'],
  },
  {
    name: 'Advancing the clock runs all work at the last instant',
    file: 'control/clock/advance.ts',
    from: 'await setClock(next.at);',
    to: 'await setClock(to);',
    killedBy: ['tests/control/advancing.test.ts'],
  },
  {
    name: 'A clock that stood flows after it was advanced',
    file: 'shared/store/memory/clock.ts',
    from: 'if (state.driver?.flowed) state.clock =',
    to: 'if (state.driver) state.clock =',
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'Two drivers lease due work while the clock is advanced',
    file: 'shared/store/memory/clock.ts',
    from: 'driver === undefined ? !isAdvancing(state) : state.driver?.token === driver;',
    to: 'driver === undefined || state.driver?.token === driver;',
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'A voucher is valid at its end',
    file: 'services/promotion-engine/promotion-rules.ts',
    from: 'now < Date.parse(activeTo)',
    to: 'now <= Date.parse(activeTo)',
    killedBy: ['tests/unit/promotion-rules.test.ts'],
  },
];
