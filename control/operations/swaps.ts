import * as declared from '../../shared/catalog/control/operations/swaps.ts';
import { pause } from '../../shared/process/waiting.ts';
import { operate } from '../operate.ts';
import { describeSwaps, readFidelity as fidelityOf } from '../swaps/swaps.ts';

export const listSwaps = operate(declared.listSwaps)(async (_input, { world, worlds }) => ({ items: await describeSwaps(worlds, world) }));

/** Wall time between two looks at comparisons that have not ended. */
const LOOK_MS = 50;

export const readFidelity = operate(declared.readFidelity)(async ({ query: { timeoutMs } }, { world, worlds, gone }) => {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const items = await fidelityOf(worlds, world);
    if (items.every(({ waiting }) => waiting === 0) || Date.now() >= until || gone.aborted) return { items };
    await pause(LOOK_MS, gone);
  }
});
