import { listParked as operation } from '../../shared/catalog/control/operations/events.ts';
import { instant } from '../../shared/domain/time.ts';
import { operate } from '../operate.ts';

export const listParked = operate(operation)(async (_input, { world, worlds }) => {
  const { parked } = await worlds.ledger(world);
  return { items: parked.map((one) => ({ ...one, at: instant(one.at) })) };
});
