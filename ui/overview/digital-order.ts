import { isOpen } from '../../shared/catalog/control/run-states.ts';
import { apis } from '../data/catalog.ts';
import { asRefusal, callApi, config, control, credentialsOf, linkHere, navigate, rehearsalLink } from '../data/data.ts';
import { failure, type Message } from '../kit/kit.ts';

const ADDRESS = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
/** Wall time between two polls of a run that has not begun. */
const LOOK_MS = 300;

/** Places a digital order, with the bearer of the rehearsal if this tab has it, otherwise as a scenario. @returns a message for the user */
export const placeDigitalOrder = (rehearsal: string): Promise<Message> =>
  (credentialsOf(rehearsal)?.bearer ?? config().demo?.integration) === undefined ? runScenario() : orderAsClient();

async function orderAsClient(): Promise<Message> {
  /** The call that was made last. */
  let latest = '';
  const call: typeof callApi = (id, input) => {
    latest = apis[id]?.name ?? id;
    return callApi(id, input);
  };
  try {
    const lines = [{ sku: 'mug-blue', qty: 2 }];
    const { id: basketId } = (await call('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines } })).body;
    await call('checkout-basket-api', { params: { id: basketId }, body: { shippingAddress: ADDRESS } });
    const { id: orderId } = (await call('create-order-api', { body: { basketId } })).body;
    await call('authorize-payment-api', { body: { orderId, tender: { type: 'card', token: 'tok_visa' } } });
    await call('confirm-order-api', { params: { id: orderId } });
    return { text: 'The order is confirmed.', link: { href: linkHere('objects', 'order', orderId), words: orderId } };
  } catch (error) {
    const { status, detail } = asRefusal(error);
    if (status === 0) throw error;
    return failure(`${latest} answered ${status}: ${detail}`, { href: linkHere('activity'), words: 'See the activity' });
  }
}

/** Opens the rehearsal of the run. */
async function runScenario(): Promise<Message> {
  const { id } = await control('start-run', { body: { scenario: 'digital-order' } });
  for (;;) {
    const run = await control('read-run', { params: { id } });
    const { rehearsal } = run;
    if (rehearsal !== undefined) {
      navigate(rehearsalLink(rehearsal));
      const link = { href: rehearsalLink(rehearsal, 'runs', id), words: 'See the run' };
      return { text: `The scenario runs in the rehearsal ${rehearsal}.`, link };
    }
    if (!isOpen(run)) return failure('The scenario did not begin.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
