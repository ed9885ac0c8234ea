import { test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { someOf } from '../support/effort.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { consoleTab } from './console-tab.ts';
import { expectWalk } from './walk.ts';

const WALKS = (['mouse', 'keyboard'] as const).flatMap((hand) => [1280, 390].map((width) => ({ hand, width })));

describeInBrowser('From an order to verified invariants in the console', () => {
  const tab = consoleTab();

  test.each(someOf(WALKS, 0.5))(
    'The way from an order to verified invariants can be walked with the $hand alone at $width pixels',
    async (walk) => {
      await using rehearsal = await newRehearsal();
      await expectWalk({ tab, gateway: estate.gateway, rehearsal, ...walk });
    },
  );
});
