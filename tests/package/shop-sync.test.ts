import { cp, readdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test as plainTest } from '@jest/globals';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { started } from '../processes/started.ts';
import { commandBlocks, isAsShown } from '../support/documents.ts';
import { estate, eventually, newRehearsal } from '../support/estate.ts';
import { aFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { runIn, whyNoRegistry } from '../support/scratch-project.ts';
import { skipTests } from '../support/skipped.ts';
import { testIn } from '../support/test-in.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const README = 'examples/shop-sync/README.md';

/** An order of the shop, as its Admin API shows it. */
interface ShopOrder {
  readonly state: string;
  readonly total: number;
  readonly totalWithTax: number;
  readonly shippingWithTax: number;
  readonly lines: readonly {
    quantity: number;
    unitPriceWithTax: number;
    proratedLinePriceWithTax: number;
    productVariant: { sku: string };
  }[];
  readonly payments: readonly { amount: number; transactionId: string; refunds: readonly { state: string; total: number }[] }[];
  readonly fulfillments: readonly { state: string; trackingCode: string }[];
}

const unreachable = await whyNoRegistry();
if (unreachable !== undefined) skipTests('the sync of a shop', unreachable, 'the npm registry');
else describeTheSync();

function describeTheSync(): void {
  /** A folder that looks like a clone, with its own copy of the example. */
  let clone: Awaited<ReturnType<typeof aFolder>>;
  let shop: ReturnType<typeof started> | undefined;
  let port: number;

  beforeAll(async () => {
    clone = await aFolder();
    const isInstalled = (file: string): boolean => basename(file) === 'node_modules';
    await cp(join(ROOT, 'examples/shop-sync'), clone.at('examples/shop-sync'), { recursive: true, filter: (file) => !isInstalled(file) });
    const others = (await readdir(ROOT)).filter((name) => !['.git', 'examples'].includes(name));
    await Promise.all(others.map((name) => symlink(join(ROOT, name), clone.at(name))));
    const install = commandBlocks(README).find(({ needs }) => needs === 'registry')?.commands ?? '';
    const installed = await runIn(clone.path, 'bash', ['-ec', install]);
    if (installed.code !== 0) throw new Error(installed.out + installed.err);
  });
  beforeAll(async () => {
    port = await freePort();
    shop = started(process.execPath, ['shop.mjs', `${port}`], { cwd: clone.at('examples/shop-sync') });
    let hasEnded = false;
    void shop.ended.then(() => {
      hasEnded = true;
    });
    const isFilled = async (): Promise<boolean> => {
      if (hasEnded) throw new Error(`The shop has ended: ${shop?.output.err}`);
      return shop?.output.out.includes('The shop is at') === true;
    };
    await eventually('the shop', isFilled, 300_000);
  });
  afterAll(async () => {
    await shop?.stop();
    await clone?.remove();
  });

  /** Runs a program of the example against the shop and a rehearsal. */
  const example = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    runIn(clone.at('examples/shop-sync'), process.execPath, [program, ...args], { ESTATE_URL: estate.gateway, ...env });

  /** A rehearsal that leaves refunds to the shop, and orders of the shop that only this rehearsal has. */
  async function opened(progression: ProgressionInput = {}) {
    const rehearsal = await newRehearsal({ external: 'manual', ...progression });
    const codes: string[] = [];
    const env = { SHOP_URL: `http://127.0.0.1:${port}`, REHEARSAL: rehearsal.name };
    const people = async (...words: readonly string[]): Promise<string> => {
      const { code, out, err } = await example('people.mjs', words, env);
      if (code !== 0) throw new Error(err);
      return out.trim();
    };
    const inShop = async (code: string): Promise<ShopOrder> => {
      const program =
        'const { staff } = await import(process.argv[1]); console.log(JSON.stringify(await (await staff()).order(process.argv[2])));';
      const calls = new URL('examples/shop-sync/vendure.mjs', clone.url).href;
      const { out, err } = await example('--input-type=module', ['-e', program, calls, code], env);
      if (out === '') throw new Error(err);
      return JSON.parse(out) as ShopOrder;
    };
    const inEstate = async (code: string) => {
      const { items } = await rehearsal.api('list-orders-api', { query: { referenceSource: 'vendure', referenceId: code } });
      expect(items).toHaveLength(1);
      return rehearsal.order(items[0].id);
    };
    const sync = () => example('sync.mjs', codes, env);
    return {
      ...rehearsal,
      inShop,
      inEstate,
      /** Counts the stock of each location. */
      async stocked(sku: string, onHand: (was: number, locationId: string) => number) {
        const { locations } = await rehearsal.api('get-inventory-api', { params: { sku } });
        for (const { locationId, onHand: was } of locations)
          await rehearsal.control('count-stock-by-hand', { params: { sku, locationId }, body: { onHand: onHand(was, locationId) } });
      },
      /** @returns the code of the order */
      async buys(...goods: readonly string[]): Promise<string> {
        const code = await people('buy', ...goods);
        codes.push(code);
        return code;
      },
      cancels: (...words: readonly string[]) => people('cancel', ...words),
      sync,
      /** One run of the sync. @returns what it has done, without the codes of the orders */
      async synced(): Promise<string[]> {
        const { code, out, err } = await sync();
        expect([code, err]).toEqual([0, '']);
        const lines = out.trim().split('\n');
        expect(lines.pop()).toBe(`${lines.length} changes`);
        return lines.map((line) => line.replace(/^\S+ /, ''));
      },
    };
  }

  const test = testIn(() => opened());
  const byHand = testIn(() => opened({ warehouse: 'manual', carrier: 'manual' }));
  const IMPORTED = [/^created as ord_/, /EUR authorised$/, /EUR captured$/, /^confirmed$/];
  const like = (patterns: readonly RegExp[]) => patterns.map((pattern) => expect.stringMatching(pattern));
  const refundsIn = ({ payments }: ShopOrder) => payments.flatMap(({ refunds }) => refunds.map(({ state, total }) => [state, total]));

  plainTest('The commands of the README give the output that it shows', async () => {
    const blocks = commandBlocks(README).filter(({ needs }) => needs === undefined);
    const mark = '=== end of a block ===';
    const ownPort = `${await freePort()}`;
    const script = blocks
      .map(({ commands }) => `${commands}\necho; echo '${mark}'`)
      .join('\n')
      .replaceAll('shop.mjs >', `shop.mjs ${ownPort} >`);
    const env = { ...process.env, ESTATE_URL: estate.gateway, SHOP_URL: `http://127.0.0.1:${ownPort}` };
    await using shell = started('bash', ['-eo', 'pipefail', '-c', `exec 2>&1\n${script}`], { cwd: clone.path, env, detached: true });
    const code = await shell.ended;
    // A failed block leaves the shop.
    if (code !== 0 && shell.child.pid !== undefined) process.kill(-shell.child.pid);
    const outputs = shell.output.out.replaceAll(ownPort, '3100').split(mark);
    const shown = blocks.map((block, index) => {
      const actual = (outputs[index] ?? '').trim();
      return block.output === undefined || isAsShown(actual, block) ? block.output : actual;
    });
    expect(shown).toEqual(blocks.map(({ output }) => output));
    expect(code).toBe(0);
  });

  test('Both sides have the same amounts: with promotions, shipping and tax, and after a cancellation and a return', async (scene) => {
    const { api, inShop, inEstate, synced } = scene;
    const first = await scene.buys('mug-blue=3', 'espresso-cup=2', 'CUPS');
    const second = await scene.buys('bowl-large=1', 'espresso-cup=1', 'CUPS');
    expect(await synced()).toEqual(like([...IMPORTED, ...IMPORTED]));
    expect(await synced()).toEqual([]);
    for (const code of [first, second]) {
      const [theirs, ours] = [await inShop(code), await inEstate(code)];
      expect(ours).toMatchObject({
        priceSource: 'given',
        paymentStatus: 'paid',
        totals: {
          total: { amount: theirs.totalWithTax, currency: 'EUR' },
          shipping: { amount: theirs.shippingWithTax },
          tax: { amount: theirs.totalWithTax - theirs.total },
        },
      });
      expect(ours.lines.map(({ sku, qty, unitPrice, lineTotal }) => [sku, qty, unitPrice.amount, lineTotal.amount])).toEqual(
        theirs.lines.map((line) => [line.productVariant.sku, line.quantity, line.unitPriceWithTax, line.proratedLinePriceWithTax]),
      );
    }

    expect(await scene.cancels(second)).toBe('Cancelled');
    expect(await synced()).toEqual(['cancelled', 'refund of 38.88 EUR succeeded']);
    expect(await inEstate(second)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    expect(refundsIn(await inShop(second))).toEqual([['Settled', 3888]]);

    await scene.advance('P4D');
    expect(await synced()).toEqual(like([/^parcel UC\d+ shipped$/, /^parcel UC\d+ delivered$/]));
    const ours = await inEstate(first);
    const [parcel] = ours.fulfillmentOrders?.[0].shipments ?? [];
    expect((await inShop(first)).fulfillments).toEqual([
      expect.objectContaining({ state: 'Delivered', trackingCode: parcel?.trackingNumber }),
    ]);

    // Both cups cost 15.03 after all discounts: 7.51 for the first one, and 7.52 for the other one.
    const lines = [{ orderLineId: ours.lines[1].lineId, qty: 1, reason: 'chipped' }];
    await api('create-return-api', { body: { orderId: ours.id, lines } });
    await scene.advance('P14D');
    expect(await synced()).toEqual(['refund of 7.51 EUR succeeded']);
    expect(await synced()).toEqual([]);
    expect((await inEstate(first)).payments[0].refundedAmount.amount).toBe(751);
    expect(refundsIn(await inShop(first))).toEqual([['Settled', 751]]);
  });

  test('A lost answer or request at any call of the sync changes nothing twice', async (scene) => {
    const { inShop, inEstate } = scene;
    const loses = async (api: string): Promise<void> => {
      await scene.fault('lost', { match: { api }, fault: { kind: 'lost-response' }, times: 1 });
      expect(await scene.sync()).toMatchObject({ code: 1, err: expect.stringContaining('the answer was lost') });
      await scene.noFaults();
    };
    const code = await scene.buys('mug-blue=2');
    for (const api of ['create-order-api', 'authorize-payment-api', 'capture-payment-api', 'confirm-order-api']) await loses(api);
    expect(await scene.synced()).toEqual([]);
    expect(await inEstate(code)).toMatchObject({
      state: expect.stringMatching(/^(confirmed|in-fulfilment)$/),
      payments: [{ amount: { amount: 3349 } }],
    });
    await scene.cancels(code);
    for (const api of ['cancel-order-api', 'note-refund-result-api']) await loses(api);
    expect(await scene.synced()).toEqual([]);
    expect((await inEstate(code)).refunds).toMatchObject([{ state: 'succeeded', amount: { amount: 3349 } }]);
    expect(refundsIn(await inShop(code))).toEqual([['Settled', 3349]]);

    const next = await scene.buys('mug-blue=1');
    await scene.synced();
    await scene.cancels(next);
    await scene.down({ api: 'note-refund-result-api' });
    expect((await scene.sync()).code).toBe(1);
    await scene.noFaults();
    expect(await scene.synced()).toEqual(['refund of 19.51 EUR succeeded']);
    expect(refundsIn(await inShop(next))).toEqual([['Settled', 1951]]);
  });

  byHand('Units that one side cancels are cancelled and refunded on the other side', async (scene) => {
    const { inShop, inEstate, synced } = scene;
    // A plate is 16.59, and three are 49.78.
    const fewer = await scene.buys('plate-dinner=3');
    await synced();
    expect(await inEstate(fewer)).toMatchObject({ lines: [{ lineTotal: { amount: 4978 } }], totals: { total: { amount: 5530 } } });
    await scene.cancels(fewer, 'plate-dinner=1');
    expect(await synced()).toEqual(['changed to 2 × plate-dinner', expect.stringMatching(/^refund of .* succeeded$/)]);
    const changed = await inEstate(fewer);
    expect(changed.lines[0].qty).toBe(2);
    expect(refundsIn(await inShop(fewer))).toEqual([['Settled', changed.payments[0].refundedAmount.amount]]);

    // Without stock elsewhere, no other location serves the missing unit.
    const [{ locationId: served, id: fulfillmentOrderId }] = await scene.routed(changed.id);
    await scene.stocked('plate-dinner', (was, at) => (at === served ? was : 0));
    await scene.short(changed, fulfillmentOrderId, 1);
    expect(await synced()).toEqual(['cancelled in the shop: 1 × plate-dinner', expect.stringMatching(/^refund of .* succeeded$/)]);
    expect((await inShop(fewer)).lines[0]?.quantity).toBe(1);
    expect(await synced()).toEqual([]);

    const whole = await scene.buys('mug-blue=1');
    await synced();
    await scene.api('cancel-order-api', { params: { id: (await inEstate(whole)).id }, body: { reason: 'fraud' } });
    expect(await synced()).toEqual(['cancelled in the shop: 1 × mug-blue', 'refund of 19.51 EUR succeeded']);
    expect((await inShop(whole)).state).toBe('Cancelled');
    expect(await synced()).toEqual([]);
  });

  test('An order without stock is refused with the reason, the others continue, and it is placed once there is stock', async (scene) => {
    await scene.stocked('bowl-large', () => 0);
    const soldOut = await scene.buys('bowl-large=1');
    await scene.buys('mug-blue=1');
    const { code, out, err } = await scene.sync();
    expect([code, err, out]).toEqual([1, expect.stringMatching(`^${soldOut} .*insufficient_stock`), expect.stringContaining('4 changes')]);
    await scene.stocked('bowl-large', () => 5);
    expect(await scene.synced()).toEqual(like(IMPORTED));
    expect(await scene.synced()).toEqual([]);
  });
}
