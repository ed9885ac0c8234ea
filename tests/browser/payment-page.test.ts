import { expect, test } from '@jest/globals';
import { serving } from '../conform/serving.ts';
import { describeInBrowser, sharedBrowser } from '../support/chromium.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { card } from '../support/steps/tender.ts';
import { collectErrors } from './complaints.ts';
import { expectSoundInEveryLook } from './looks.ts';

describeInBrowser('The page of 3-D Secure', () => {
  const browser = sharedBrowser();

  async function opened(rehearsal: TestRehearsal, returnUrl?: string) {
    const { id: orderId } = await rehearsal.draft();
    const payment = await rehearsal.api('authorize-payment-api', { body: { orderId, tender: card('tok_3ds'), returnUrl } });
    const page = await (await browser()).newPage();
    const complaints = collectErrors(page);
    await page.goto(new URL(payment.nextAction?.url ?? '', estate.gateway).href);
    return { page, complaints, paymentId: payment.id };
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
    await using shop = await serving((_request, response) => response.setHeader('Content-Type', 'text/html').end('<h1>Thank you</h1>'));
    const { page, complaints, paymentId } = await opened(rehearsal, `${shop.url}/done`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(page.url()).toBe(`${shop.url}/done?payment_id=${paymentId}&state=authorised`);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
