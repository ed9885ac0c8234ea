import { expect, test } from '@jest/globals';
import { DEMO_CREDENTIALS } from '../../rehearsal/estate-rehearsal.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { notedReport } from '../support/noted-report.ts';
import { type OutsideRequest, type RealPaymentHub, startPaymentHub } from '../support/real-payment-hub.ts';

/** Scenarios that need answers of our simulated provider, lowered authorisations, or rounded cash, which the hub of this test does not have. */
const OF_OUR_PROVIDER: ReadonlySet<string> = new Set([
  ...['partial-approval', '3-d-secure', 'capture-declined', 'exchange-with-surplus', 'over-refund'],
  ...['refund-pending', 'refund-fails', 'dispute-won', 'dispute-lost', 'changed-order', 'tax-and-coins'],
]);

/** The hub calls the estate back for the outstanding amount of an order, if the request has no amount. */
async function outstanding(gateway: string, hub: RealPaymentHub, { headers, text }: OutsideRequest) {
  const { orderId, payable } = JSON.parse(text);
  const call = { method: 'POST', headers: { 'content-type': 'application/json', 'x-estate-call': String(headers['x-estate-call']) } };
  const asked = (): Promise<Response> =>
    fetch(`${gateway}/_control/calls/get-payable`, { ...call, body: JSON.stringify({ params: { id: orderId } }) });
  const { total } = payable ?? (await (await asked()).json());
  const paid = [...hub.payments.values()].filter((payment) => payment.orderId === orderId && payment.state !== 'voided');
  return { ...total, amount: paid.reduce((left, { authorizedAmount }) => left - authorizedAmount.amount, total.amount) };
}

test('Every scenario passes with a real Payment Hub in place of ours, except the scenarios of our simulated provider', async () => {
  let gateway = '';
  await using hub: RealPaymentHub = await startPaymentHub((one, _honest, response) => {
    if (one.path !== '/payments/authorizations') return undefined;
    const { amount, tender, ...rest } = JSON.parse(one.text);
    if (String(tender.token).startsWith('tok_decline'))
      return { status: 402, body: { code: 'payment_declined', detail: 'no', declineCode: 'do_not_honor' } };
    if (amount !== undefined) return undefined;
    void outstanding(gateway, hub, one).then(async (left) => {
      const headers = { 'idempotency-key': String(one.headers['idempotency-key']) };
      const body = JSON.stringify({ ...rest, tender, amount: left });
      const answer = await fetch(`${hub.url}/payments/authorizations`, { method: 'POST', headers, body });
      response.writeHead(answer.status).end(await answer.text());
    });
    return 'handled';
  });
  const limits = { RATE_LIMIT_PER_ADDRESS: '1000000', RATE_LIMIT_PER_KEY: '1000000' };
  await using swapped = await anObservedEstate({ ...limits, SWAP_PAYMENT_HUB_URL: hub.url });
  gateway = swapped.running.gateway;
  for (const scenario of scenarios.filter(({ name }) => !OF_OUR_PROVIDER.has(name))) {
    const { noted, report } = notedReport();
    await runScenario(scenario, { gateway, ...DEMO_CREDENTIALS, report });
    expect([scenario.name, noted.at(-1)]).toEqual([scenario.name, 'passed']);
  }
  expect(hub.effects()).toBeGreaterThan(20);
});
