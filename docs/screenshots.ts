import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { chromium, type Page } from 'playwright-core';

/**
 * Takes the pictures of the README: starts an estate, plays an order with a slow allocation, and writes PNG files to `docs/screenshots`.
 * `node docs/screenshots.ts [folder]`; CHROMIUM names the browser.
 */
const FOLDER = process.argv[2] ?? 'docs/screenshots';
const REHEARSAL = 'galway-spring';
const TRACE = 'web-confirm-7f3a';
const PORTS = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
const SIZES = [
  { width: 1280, height: 1000, name: '1280' },
  { width: 390, height: 844, name: '390' },
] as const;
const SHOTS = [
  { name: 'overview', path: '', shows: 'text=/\\d+ of \\d+/' },
  { name: 'activity', path: '/activity', shows: 'a[data-row]' },
  { name: 'trace', path: `/activity/${TRACE}`, shows: '.hop pre' },
] as const;

/** @returns the address of the gateway when the estate is ready */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, address] = /^\s*gateway\s+(http:\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('The estate did not start.');
}

async function playOrder(gateway: string): Promise<void> {
  const send = async (method: string, path: string, bearer: string, body: object = {}, headers: Record<string, string> = {}) => {
    const answer = await fetch(gateway + path, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, 'X-Rehearsal': REHEARSAL, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { readonly id: string; readonly orderId: string };
  };
  const [client, simulation] = ['demo-integration-token', 'demo-sim-admin'];
  await send('POST', '/_sim/rehearsals', simulation, { name: REHEARSAL });
  const basket = await send('POST', '/baskets', client, { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
  const shippingAddress = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
  const { orderId } = await send('POST', `/baskets/${basket.id}/checkout`, client, { shippingAddress, placeOrder: true });
  const pay = (token: string) => send('POST', '/payments/authorizations', client, { orderId, tender: { type: 'card', token } });
  await pay('tok_decline_insufficient_funds');
  await pay('tok_visa');
  const slow = { match: { api: 'allocate-inventory-api' }, fault: { kind: 'latency', ms: 400 } };
  await send('PUT', '/_sim/faults/slow-allocation', simulation, slow);
  await send('POST', `/orders/${orderId}/confirm`, client, {}, { 'X-Correlation-Id': TRACE });
  await send('POST', '/_sim/settle', simulation);
}

async function takePictures(page: Page, gateway: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const { name: size, ...viewport } of SIZES) {
      await page.setViewportSize(viewport);
      for (const { name, path, shows } of SHOTS) {
        await page.goto(`${gateway}/console/r/${REHEARSAL}${path}`);
        await page.locator(shows).first().waitFor();
        await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
        await page.screenshot({ path: `${FOLDER}/${name}-${size}-${colorScheme}.png` });
      }
    }
  }
}

await mkdir(FOLDER, { recursive: true });
const estate = spawn(process.execPath, ['estate/main.ts'], { env: { ...process.env, ...PORTS }, stdio: ['ignore', 'pipe', 'inherit'] });
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox'],
});
try {
  const gateway = await addressOf(estate.stdout);
  await playOrder(gateway);
  await takePictures(await browser.newPage(), gateway);
} finally {
  await browser.close();
  estate.kill();
}
