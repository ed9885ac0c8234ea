import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { bare, FREE_PORTS, MAIN, started } from '../processes/started.ts';
import { launchChromium } from '../support/chromium.ts';
import { ADMIN } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { aFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { runIn } from '../support/scratch-project.ts';
import { composeProject } from './compose-project.ts';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';
import { startOwnBroker } from './own-broker.ts';
import { startReceiver } from './receiver.ts';

/** A retailer in Tokyo: its figures, its products and its stock. */
const RETAILER = {
  currency: 'JPY',
  timeZone: 'Asia/Tokyo',
  shipping: { STANDARD: 500, EXPRESS: 900, freeFrom: 5_000 },
  windows: { checkoutHold: 'PT30M', return: 'P14D' },
};
const PRODUCTS = `sku,gtin,name,description,brand,price,taxRate
cup-seto,4901234567894,Seto cup,A tea cup,Kiln,1800,10
pot-tokoname,4912345678904,Tokoname pot,A tea pot,Kiln,4200,10
`;
const STOCK = `sku,location,onHand
cup-seto,dc-01,40
pot-tokoname,dc-01,12
`;
const ADDRESS = { name: 'Aiko Tanaka', line1: '2-1 Marunouchi', city: 'Chiyoda', region: 'Tokyo', postalCode: '100-0005', country: 'JP' };
const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const TOKENS = { expiresIn: 3_600 };

/** The address of this machine in a container. */
const HOST = 'host.docker.internal';
const UP_MS = 600_000;

interface RunningEstate extends AsyncDisposable {
  readonly gateway: string;
}

interface Way {
  /** Under this name, the estate reaches the broker and the receiver of the team. */
  readonly host: string;
  /** @param data folder with the files of the retailer @param broker its variables, with the paths of files in `folder` */
  readonly start: (data: string, broker: OwnBroker) => Promise<RunningEstate>;
}
type OwnBroker = Awaited<ReturnType<typeof startOwnBroker>>;

const embedded: Way = {
  host: '127.0.0.1',
  start: async (data, { environment }) => {
    const estate = started(process.execPath, [MAIN], { env: { ...bare(), ...FREE_PORTS, ...environment, FIXTURES_DIR: data } });
    await estate.ready();
    return { gateway: estate.gateway(), [Symbol.asyncDispose]: async () => void (await estate.stop()) };
  },
};

/** The compose file, with a file beside it that mounts the data and the files of the broker. */
const inCompose: Way = {
  host: HOST,
  start: async (data, { environment, folder }) => {
    const own = join(folder, 'compose.own.json');
    const service = (more: object = {}, volumes: readonly string[] = []) => ({
      environment: { ...environment, ...more },
      volumes: [`${folder}:${folder}:ro`, ...volumes],
      extra_hosts: [`${HOST}:host-gateway`],
    });
    const services = {
      ...Object.fromEntries(applicationNames.map((name) => [name, service()])),
      gateway: service({ FIXTURES_DIR: data }, [`${data}:${data}:ro`]),
    };
    await writeFile(own, JSON.stringify({ services }));
    const project = await composeProject({ image: await estateImage(), files: ['docker-compose.yml', own] });
    await project.compose('up', '--wait', '--wait-timeout', String(UP_MS / 1_000));
    return { gateway: project.gateway, [Symbol.asyncDispose]: async () => void (await project.down()) };
  },
};

if (whyNoDocker === undefined)
  describe.each([
    ['embedded', embedded],
    ['in compose', inCompose],
  ])('A team in Japan, %s', (_name, way) => withItsSystems(way));
else skipWithoutDocker('a team in Japan');

function withItsSystems({ host, start }: Way): void {
  let broker: OwnBroker;
  let folder: Awaited<ReturnType<typeof aFolder>>;
  let estate: RunningEstate;

  beforeAll(async () => {
    broker = await startOwnBroker(host);
    folder = await aFolder();
    await chmod(folder.path, 0o755);
    await mkdir(folder.at('data'));
    await folder.write('data/retailer.json', RETAILER);
    await folder.write('data/products.csv', PRODUCTS);
    await folder.write('data/stock.csv', STOCK);
    await cp(join(EXAMPLES, 'receiver'), folder.at('receiver'), { recursive: true });
    const prepared = await runIn(folder.at('receiver'), 'bash', [
      '-c',
      'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt',
    ]);
    if (prepared.code !== 0) throw new Error(`The receiver in Python is not ready: ${prepared.out}${prepared.err}`);
    estate = await start(folder.at('data'), broker);
  });
  afterAll(async () => {
    await estate?.[Symbol.asyncDispose]();
    await broker?.stop();
    await folder?.remove();
  });

  async function send(method: string, path: string, token: string, body?: object) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-rehearsal': 'tokyo' };
    const reply = await fetch(`${estate.gateway}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? undefined : JSON.parse(text), challenge: reply.headers.get('www-authenticate') };
  }
  async function done(method: string, path: string, token: string, body?: object) {
    const { status, body: answer } = await send(method, path, token, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  }
  const control = (method: string, path: string, body?: object) => done(method, `/_control${path}`, ADMIN, body);

  async function newToken({ clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string }): Promise<string> {
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
    const reply = await fetch(`${estate.gateway}/oauth/token`, { method: 'POST', body: form });
    const token = (await reply.json()) as { access_token: string; expires_in: number };
    expect([reply.status, token.expires_in]).toEqual([200, TOKENS.expiresIn]);
    return token.access_token;
  }

  test('The team sees its products in yen in a shop on another origin', async () => {
    await using shop = started(process.execPath, [join(EXAMPLES, 'web-shop/serve.mjs'), '0']);
    await eventually('the address of the shop', async () => shop.output.out.includes('/\n'));
    const [address = ''] = /http:\S+/.exec(shop.output.out) ?? [];
    const browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(`${address}?${new URLSearchParams({ estate: estate.gateway, rehearsal: 'tokyo-shop' })}`);
    await page.getByText('Tokoname pot').first().waitFor();
    expect(await page.locator('body').textContent()).toMatch(/4,?200/);
    await browser.close();
  });

  test('The team plays 3-D Secure, a partial return and a dispute with its receiver, broker and tokens, and every invariant holds', async () => {
    const { credentials } = await control('POST', '/rehearsals', { name: 'tokyo' });
    let token = await newToken(credentials);
    const port = await freePort();
    const { secret } = await control('PUT', '/webhooks/shop', { url: `http://${host}:${port}/events`, types: ['order-confirmed'] });
    const own = { HOST: '0.0.0.0', ESTATE_WEBHOOK_SECRET: secret };
    await using receiver = await startReceiver(folder.at('receiver'), ['.venv/bin/python', 'receiver.py', String(port)], own);

    const lines = [{ sku: 'cup-seto', qty: 2 }];
    const basket = await done('POST', '/baskets', token, { channel: 'web', lines });
    const checkout = await done('POST', `/baskets/${basket.id}/checkout`, token, { shippingAddress: ADDRESS });
    expect(checkout.totals).toMatchObject({ total: { amount: 4_100, currency: 'JPY' }, shipping: { amount: 500, currency: 'JPY' } });
    const order = await done('POST', '/orders', token, { basketId: basket.id });
    const card = { type: 'card', token: 'tok_3ds' };
    const euros = await send('POST', '/payments/authorizations', token, {
      orderId: order.id,
      tender: card,
      amount: { amount: 1, currency: 'EUR' },
    });
    expect(euros).toMatchObject({ status: 422, body: { errors: [{ pointer: '/amount/currency', code: 'unsupported_currency' }] } });
    const payment = await done('POST', '/payments/authorizations', token, { orderId: order.id, tender: card });
    expect(payment).toMatchObject({ state: 'requires-action', amount: { amount: 4_100, currency: 'JPY' } });
    await control('POST', `/payments/${payment.id}/action`, { outcome: 'succeeded' });
    await done('POST', `/orders/${order.id}/confirm`, token);
    await eventually('the confirmation at the receiver', async () => receiver.output().includes(`order-confirmed order/${order.id}`));

    await control('POST', '/clock/advance', { by: 'P3D' });
    const late = await send('GET', `/orders/${order.id}`, token);
    expect([late.status, late.challenge]).toEqual([401, expect.stringContaining('invalid_token')]);
    token = await newToken(credentials);
    const delivered = await done('GET', `/orders/${order.id}`, token);
    expect(delivered.state).toBe('completed');

    const announced = {
      orderId: order.id,
      lines: [{ orderLineId: delivered.lines[0].lineId, qty: 1, reason: 'too-small' }],
      resolution: 'refund',
    };
    const { id: returnId } = await done('POST', '/returns', token, announced);
    await control('POST', '/clock/advance', { by: 'P7D' });
    token = await newToken(credentials);
    expect(await control('GET', `/objects/return/${returnId}`)).toMatchObject({ state: 'refunded' });
    await control('POST', `/payments/${payment.id}/dispute`, { reason: 'fraudulent' });
    await control('POST', `/payments/${payment.id}/dispute/outcome`, { outcome: 'lost' });
    const paid = (await done('GET', `/orders/${order.id}`, token)).payments[0];
    expect(paid).toMatchObject({
      refundedAmount: { amount: 1_800, currency: 'JPY' },
      disputes: [{ state: 'lost', amount: { amount: 2_300 } }],
    });
    expect(await control('GET', '/verify')).toMatchObject({ holds: true });
  });
}
