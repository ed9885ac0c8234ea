import { config } from '../data/config.ts';
import { control } from '../data/control.ts';
import { refusalOf, unreachable } from '../data/refusal.ts';
import { rehearsalLink } from '../data/route.ts';
import { navigate } from '../data/router.ts';
import { credentialsOf } from '../data/session.ts';
import { failure, type Message } from '../kit/status-line.tsx';

const ADDRESS = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const TENDER = { type: 'card', token: 'tok_visa' };
/** Of wall time, between two looks at a run that has not begun. */
const LOOK_MS = 300;

/** Places a digital order: as a client of the rehearsal, or as a scenario where no bearer for the APIs is known. @returns what to say */
export function placeDigitalOrder(rehearsal: string): Promise<Message> {
  const bearer = credentialsOf(rehearsal)?.bearer ?? config().demo?.integration;
  return bearer === undefined ? runScenario() : orderAsClient(rehearsal, bearer);
}

async function orderAsClient(rehearsal: string, bearer: string): Promise<Message> {
  /** @throws Refusal with the name of the step */
  async function step(title: string, path: string, body: object = {}): Promise<string> {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'X-Rehearsal': rehearsal, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      cache: 'no-store',
    }).catch((error: unknown) => {
      throw unreachable(error);
    });
    if (answer.ok) return encodeURIComponent(((await answer.json()) as { id: string }).id);
    const { status, detail } = await refusalOf(answer);
    throw new OrderRefused(`${title} answered ${status}: ${detail}`);
  }
  try {
    const basketId = await step('Create Basket', '/baskets', {
      channel: 'web',
      customerId: 'cus_ada',
      lines: [{ sku: 'mug-blue', qty: 2 }],
    });
    await step('Checkout Basket', `/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS });
    const orderId = await step('Create Order', '/orders', { basketId });
    await step('Authorize Payment', '/payments/authorizations', { orderId, tender: TENDER });
    await step('Confirm Order', `/orders/${orderId}/confirm`);
    return { text: 'The order is confirmed.', link: { href: rehearsalLink(rehearsal, 'objects', 'order', orderId), words: orderId } };
  } catch (error) {
    if (error instanceof OrderRefused)
      return failure(error.message, { href: rehearsalLink(rehearsal, 'activity'), words: 'See the activity' });
    throw error;
  }
}

class OrderRefused extends Error {}

/** Opens the rehearsal of the run. */
async function runScenario(): Promise<Message> {
  const { id } = await control('start-run', { body: { scenario: 'digital-order' } });
  for (;;) {
    const { rehearsal, state } = await control('read-run', { params: { id } });
    if (rehearsal !== undefined) {
      navigate(rehearsalLink(rehearsal));
      const link = { href: rehearsalLink(rehearsal, 'runs', id), words: 'See the run' };
      return { text: `The scenario runs in the rehearsal ${rehearsal}.`, link };
    }
    if (state !== 'waiting' && state !== 'running') return failure('The scenario did not begin.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
