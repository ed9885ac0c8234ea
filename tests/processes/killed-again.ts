import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { insisting } from '../support/steps/insisting.ts';
import { changeUnits, collectAndReplace, importOrder } from '../support/steps/journeys.ts';
import { startEstate } from './started.ts';

const BUYERS = 8;
const ORDERS_PER_LIFE = 2;
/** Buyers pause after these orders while an estate starts. Otherwise a fast machine sells the whole stock. */
const MOST_ORDERS_PER_LIFE = 30;
const PATIENCE_MS = 120_000;

interface KilledOptions {
  readonly kills: number;
  /** Where the estate keeps state and events. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether another process of the same estate lives all the time. */
  readonly hasPeer?: boolean;
}

/**
 * Kills an estate in one process while orders are placed, and starts it again each time. Its store outlives it.
 * @returns the confirmed orders, and what is left to do or violated at the end
 */
export async function killedAgain({ kills, environment, hasPeer = false }: KilledOptions) {
  const start = async (port: string) => {
    const estate = startEstate({
      ...environment,
      GATEWAY_PORT: port,
      CREDENTIAL_PEPPER: 'the-pepper-of-an-estate-that-is-killed',
      ESTATE_TOKEN: 'the-token-of-an-estate-that-is-killed',
      RATE_LIMIT_PER_ADDRESS: '10000000',
      RATE_LIMIT_PER_KEY: '10000000',
    });
    try {
      await estate.ready();
      return estate;
    } catch (error) {
      await estate.stop('SIGKILL');
      throw error;
    }
  };
  const port = String(await freePort());
  await using _peer = hasPeer ? await start('0') : undefined;
  let estate = await start(port);
  const orders: string[] = [];
  let mostOrders = MOST_ORDERS_PER_LIFE;
  /** Each life has one order of each journey. The shelf of a store has fewer goods than a warehouse. */
  const journeys = [collectAndReplace, changeUnits, importOrder];
  let toMake = [...journeys];
  let isOver = false;
  let giveUp = (): void => undefined;
  try {
    const rehearsal = insisting(await openRehearsal(estate.gateway()), PATIENCE_MS);
    giveUp = rehearsal.giveUp;
    const place = async (): Promise<string> => {
      const journey = toMake.shift();
      return journey ? journey(rehearsal, PATIENCE_MS) : (await rehearsal.confirmed({ qty: 1 })).id;
    };
    const buyer = async (): Promise<void> => {
      while (!isOver) {
        orders.push(await place());
        await eventually('the next life', async () => isOver || orders.length < mostOrders, PATIENCE_MS);
      }
    };
    const buying = Promise.all(Array.from({ length: BUYERS }, buyer));
    for (let kill = 0; kill < kills; kill++) {
      const enough = orders.length + ORDERS_PER_LIFE;
      mostOrders = orders.length + MOST_ORDERS_PER_LIFE;
      toMake = [...journeys];
      await Promise.race([buying, eventually('more orders', async () => isOver || orders.length >= enough, PATIENCE_MS)]);
      await estate.stop('SIGKILL');
      estate = await start(port);
    }
    isOver = true;
    await buying;
    const { control } = rehearsal;
    const { waitingFor } = await control('settle', { body: { timeoutMs: 60_000 } });
    const { invariants } = await control('verify');
    const broken = invariants.flatMap(({ title, violations }) => violations.map((violation) => `${title}: ${violation}`));
    const { items: parked } = await control('list-parked');
    return { orders, left: [...waitingFor, ...broken, ...parked.map(({ what, key, error }) => `parked ${what} ${key}: ${error}`)] };
  } finally {
    isOver = true;
    giveUp();
    await estate.stop('SIGKILL');
  }
}
