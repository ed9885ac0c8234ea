import { setClock as operation } from '../../shared/catalog/control/operations/clock.ts';
import { instant } from '../../shared/domain/time.ts';
import { operate } from '../operate.ts';

export const setClock = operate(operation)(async ({ body }, { rehearsal, world, rehearsals, driver }) => {
  await driver.setFlowing(world, body.flowing);
  const { now, flowing } = await rehearsals.find(rehearsal);
  return { now: instant(now), flowing };
});
