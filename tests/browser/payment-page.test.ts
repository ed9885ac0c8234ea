import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, launchChromium } from '../support/chromium.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { card } from '../support/steps/tender.ts';
import { expectSoundInEveryLook } from './looks.ts';

describeInBrowser('The page of 3-D Secure', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function opened(rehearsal: TestRehearsal, returnUrl?: string) {
    const { id: orderId } = await rehearsal.draft();
    const payment = await rehearsal.api('authorize-payment-api', { body: { orderId, tender: card('tok_3ds'), returnUrl } });
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(new URL(payment.nextAction?.url ?? '', estate.gateway).href);
    return { page, complaints, paymentId: payment.id };
  }

  /** A shop at another origin. */
  async function aShop() {
    const server = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<h1>Thank you</h1>'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/done`;
    return { url, [Symbol.asyncDispose]: async () => void server.close().closeAllConnections() };
  }

  test.each([
    ['Approve', 'The payment was approved', 'authorised'],
    ['Reject', 'The payment failed', 'failed'],
  ])('The button %s is sound in every look, and leads to "%s"', async (button, heading, state) => {
    await using rehearsal = await newRehearsal();
    const { page, complaints, paymentId } = await opened(rehearsal);
    await expectSoundInEveryLook(page);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name: heading }).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await expectSoundInEveryLook(page);
    expect((await rehearsal.object('payment', paymentId)).state).toBe(state);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('The policy of the page lets the browser return to a shop at another origin', async () => {
    await using rehearsal = await newRehearsal();
    await using shop = await aShop();
    const { page, complaints, paymentId } = await opened(rehearsal, shop.url);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(page.url()).toBe(`${shop.url}?payment_id=${paymentId}&state=authorised`);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
