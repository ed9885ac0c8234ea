import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';

/**
 * Takes pictures of the console: starts an estate, and plays an order with a slow allocation. `npm run screenshots` replaces the pictures
 * of the README; `npm run screenshots -- <folder>` writes every page there, wide and narrow, light and dark. CHROMIUM names the browser.
 */
const [, , folder] = process.argv;
const README_PICTURES = fileURLToPath(new URL('images/', import.meta.url));
const REHEARSAL = 'galway-spring';
const TRACE = 'web-confirm-7f3a';
const PORTS = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
const LIGHT = { colorScheme: 'light', width: 1280, height: 1000, suffix: '' } as const;
const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { colorScheme, width: 1280, height: 1000, suffix: `-1280-${colorScheme}` },
  { colorScheme, width: 390, height: 844, suffix: `-390-${colorScheme}` },
]);
const SHOTS = [
  { name: 'overview', path: '', shows: 'text=/^13 of 13 applications ready$/', readme: true },
  { name: 'activity', path: '/activity', shows: 'a[data-row]' },
  { name: 'objects', path: '/objects/order', shows: 'main a' },
  { name: 'customer', path: '/objects/customer/cus_ada', shows: 'h1' },
  { name: 'stock', path: '/stock', shows: 'main a[data-row]' },
  { name: 'stock-of-sku', path: '/stock/mug-blue', shows: 'main li' },
  { name: 'flows', path: '/flows', shows: 'main button' },
  { name: 'faults', path: '/faults', shows: 'main button' },
  { name: 'events', path: '/events', shows: 'main a' },
  { name: 'webhooks', path: '/webhooks', shows: 'h1' },
  { name: 'rehearsals', path: '/console/rehearsals', shows: 'h1', estate: true },
  { name: 'trace', path: `/activity/${TRACE}`, shows: '[aria-label="Response"]', readme: true },
  { name: 'call-tree', path: `/activity/${TRACE}?view=tree`, shows: '[aria-label="Hops"] a' },
  { name: 'problems', path: '/console/reference/problems#not_found', shows: 'li[aria-current]', estate: true },
] as const;

/** @returns the address of the gateway when the estate is ready */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, address] = /^\s*Gateway\s+(http:\S+)/.exec(line) ?? [];
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
  const [client, control] = ['demo-integration-token', 'demo-control-token'];
  await send('POST', '/_control/rehearsals', control, { name: REHEARSAL });
  const basket = await send('POST', '/baskets', client, { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
  const shippingAddress = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
  const { orderId } = await send('POST', `/baskets/${basket.id}/checkout`, client, { shippingAddress, placeOrder: true });
  const pay = (token: string) => send('POST', '/payments/authorizations', client, { orderId, tender: { type: 'card', token } });
  await pay('tok_decline_insufficient_funds');
  await pay('tok_visa');
  const slow = { match: { api: 'allocate-inventory-api' }, fault: { kind: 'latency', ms: 400 } };
  await send('PUT', '/_control/faults/slow-allocation', control, slow);
  await send('POST', `/orders/${orderId}/confirm`, client, {}, { 'X-Correlation-Id': TRACE });
  await send('POST', '/_control/settle', control);
}

async function takePictures(page: Page, gateway: string): Promise<void> {
  const shots = folder === undefined ? SHOTS.filter((shot) => 'readme' in shot) : SHOTS;
  for (const { colorScheme, suffix, ...viewport } of folder === undefined ? [LIGHT] : LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    for (const { name, path, shows, ...rest } of shots) {
      const isOfEstate = 'estate' in rest;
      await page.goto(isOfEstate ? gateway + path : `${gateway}/console/r/${REHEARSAL}${path}`);
      await page.locator(shows).first().waitFor();
      if (!isOfEstate) await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
      await page.screenshot({ path: join(folder ?? README_PICTURES, `${name}${suffix}.png`) });
    }
  }
}

await mkdir(folder ?? README_PICTURES, { recursive: true });
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
