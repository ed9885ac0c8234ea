import { expect, test } from '@jest/globals';
import { DEMO_CREDENTIALS, type EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { playOfFunction } from '../../rehearsal/harden/functions.ts';
import { DEFAULTS, hardenSystem } from '../../rehearsal/harden/runner.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { stageOf } from '../../rehearsal/stage.ts';
import { estate } from '../support/estate.ts';

const silent = { begin() {}, step() {}, note() {}, invariants() {}, end() {} };

const playOf = ({ run }: Scenario) =>
  playOfFunction(
    async (rehearsal: EstateRehearsal) => {
      const { now } = await rehearsal.control('read-clock');
      await run(stageOf(rehearsal.client, silent, { ...rehearsal.credentials, now }));
    },
    () => undefined,
  );

/** Short scenarios: an order, a reservation that ends, and an order that is paid for less than was confirmed. */
const PLAYED = ['digital-order', 'hold-expired', 'changed-order'];

// A scenario never repeats a call, so it may end early and leave something. The estate must stay consistent.
test.each(scenarios.filter(({ name }) => PLAYED.includes(name)))(
  'The estate breaks no invariant and repeats nothing when an answer of the scenario $name is lost',
  async (scenario) => {
    const { cells, endedEarly } = await hardenSystem({
      access: { gateway: estate.gateway, credentials: DEMO_CREDENTIALS },
      command: scenario.name,
      ...DEFAULTS,
      startsAt: scenario.startsAt ?? DEFAULTS.startsAt,
      data: scenario.data,
      system: { play: playOf(scenario) },
      state: 'none',
      wording: { check: '', reset: '', connection: '', noCell: '' },
      repeat: (cell) => cell,
      parallel: 1,
      families: ['lost-answers'],
      only: ({ misfortune }) => misfortune === 'lost-504',
    });
    expect(endedEarly).toBeUndefined();
    expect(cells.length).toBeGreaterThan(2);
    expect(cells.filter(({ verdict }) => !['failed-cleanly', 'half', 'survived'].includes(verdict ?? ''))).toEqual([]);
  },
  120_000,
);
