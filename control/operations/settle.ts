import { settle as operation } from '../../shared/catalog/control/operations/clock.ts';
import { instant } from '../../shared/domain/time.ts';
import { describeWithheld } from '../events/withheld.ts';
import { operate } from '../operate.ts';

export const settle = operate(operation)(async ({ body }, { world, worlds, driver, gone }) => {
  const { settled, waitingFor } = await driver.settle(world, body.timeoutMs, gone);
  const { parked, withheld } = await worlds.ledger(world);
  return {
    settled,
    waitingFor: [...waitingFor],
    parked: parked.map((one) => ({ ...one, at: instant(one.at) })),
    withheld: withheld.map(describeWithheld),
  };
});
