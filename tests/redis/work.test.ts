import { test } from '@jest/globals';
import { countCommands, sum } from '../../bench/redis.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { describeReplicas } from './replicas/running-replicas.ts';

const CLIENTS = 4;
const ORDERS_EACH = 4;
/** Ten per cent above the counted work, because the batching of hops and changes depends on the machine. */
const MOST_SCRIPTS = 86;
const MOST_COMMANDS = 118;

describeReplicas('The work of Redis', {}, (estate) => {
  test(`An order takes at most ${MOST_SCRIPTS} scripts, and ${MOST_COMMANDS} commands with the plain ones`, async () => {
    await using rehearsal = await rehearsalAt(estate.gateway);
    async function placeOrder(): Promise<void> {
      const { id } = await rehearsal.basket({ lines: [] });
      await rehearsal.api('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 } });
      await rehearsal.checkedOut(id);
      await rehearsal.confirmed((await rehearsal.authorised(id)).id);
    }
    async function placeOrders(): Promise<void> {
      for (let n = 0; n < ORDERS_EACH; n++) await placeOrder();
    }
    await placeOrder();
    await rehearsal.settle();
    const { scripts, plain } = await countCommands(estate.redis, async () => {
      await Promise.all(Array.from({ length: CLIENTS }, placeOrders));
      await rehearsal.settle();
    });
    const orders = CLIENTS * ORDERS_EACH;
    const inScripts = sum(scripts) / orders;
    const inAll = inScripts + sum(plain) / orders;
    if (inScripts > MOST_SCRIPTS || inAll > MOST_COMMANDS) {
      const each = [...scripts, ...plain].sort(([, one], [, other]) => other - one).map(([name, count]) => `${name} ${count / orders}`);
      throw new Error(`${inScripts} scripts and ${inAll} commands per order: ${each.join(', ')}`);
    }
  });
});
