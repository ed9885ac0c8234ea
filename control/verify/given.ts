import type { Breathe } from '../../shared/domain/breathe.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { type Check, findings, type InvariantResult } from './invariant.ts';
import type { Order, Payment } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** What other systems have decided: the prices of their orders, and the money at their providers. */
export async function given({ of, events, swapped }: WorldRecords, breathe: Breathe): Promise<InvariantResult> {
  const { check, result } = findings('given');
  const orders = new Map(of<Order>('order').flatMap((order) => (order.priceSource === 'given' ? [[order.id, order]] : [])));
  for (const order of orders.values()) {
    await breathe();
    checkTaxes(order, check);
  }
  for (const event of events) {
    const order = event.aggregateversion === 1 ? orders.get(event.subject.replace(/^order\//, '')) : undefined;
    if (order) checkKept(order, createdIn(event), check);
  }
  // A real Payment Hub need not show the provider.
  if (!swapped.has('payment-hub')) checkNotedOnce(of<Payment>('payment'), check);
  return result();
}

const createdIn = ({ data }: EstateEvent): Order => data.object as unknown as Order;

function checkTaxes({ id, lines, totals: { tax, total } }: Order, check: Check): void {
  const ofLines = lines.reduce((sum, line) => sum + line.tax.amount, 0);
  check(
    ofLines <= tax.amount && tax.amount <= total.amount,
    `order/${id}: its lines contain a tax of ${ofLines}, the order of ${total.amount} contains ${tax.amount}`,
  );
}

/** The amounts change only with the units that the customer ordered. */
function checkKept(order: Order, created: Order, check: Check): void {
  const before = new Map(created.lines.map((line) => [line.lineId, line]));
  const isChanged = order.lines.length !== before.size || order.lines.some(({ lineId, qty }) => before.get(lineId)?.qty !== qty);
  for (const { lineId, unitPrice, lineTotal } of order.lines) {
    const was = before.get(lineId);
    const name = `order/${order.id} ${lineId}`;
    check(unitPrice.amount === was?.unitPrice.amount, `${name}: a unit costs ${unitPrice.amount}, given was ${was?.unitPrice.amount}`);
    if (isChanged) continue;
    check(lineTotal.amount === was?.lineTotal.amount, `${name}: costs ${lineTotal.amount}, given was ${was?.lineTotal.amount}`);
  }
  const [now, was] = [order.totals.total.amount, created.totals.total.amount];
  if (!isChanged) check(now === was, `order/${order.id}: costs ${now}, given was ${was}`);
}

function checkNotedOnce(payments: readonly Payment[], check: Check): void {
  const noted = new Map<string, string>();
  for (const { id, state, tender, refunds } of payments) {
    const { type, provider, reference } = tender;
    const references = refunds.flatMap(({ providerReference }) => providerReference ?? []);
    check(new Set(references).size === references.length, `payment/${id}: notes a refund twice: ${references.join(', ')}`);
    check(
      (type === 'external') === (provider !== undefined && reference !== undefined),
      `payment/${id}: by ${type} with the provider ${provider} and its reference ${reference}`,
    );
    if (type !== 'external' || state === 'voided' || state === 'failed') continue;
    const key = `${provider} ${reference}`;
    check(!noted.has(key), `payment/${id}: notes ${key}, as payment/${noted.get(key)} does`);
    noted.set(key, id);
  }
}
