import type { ComponentChildren } from 'preact';
import type { BusinessObject, ObjectType } from '../../rehearsal/call-types.ts';
import { exchangeDraftOf, type Neighbour, outstandingOf, RETURN_ENDS } from '../../shared/catalog/nearby.ts';
import { type Money, minus, money, moneyInWords } from '../../shared/domain/money.ts';
import { declines } from '../data/catalog.ts';
import { applicationTitle, linkHere } from '../data/data.ts';
import { Badge, counted, rehearsalTime } from '../kit/kit.ts';
import { DISPUTE_REASONS } from './action-hints.ts';
import { goodsInWords, type Near } from './near.tsx';
import css from './objects.module.css';

type Fact = readonly [label: string, value: ComponentChildren];
interface Section {
  readonly title: string;
  readonly content: ComponentChildren;
}

/** The page of an object: what a shopkeeper wants to know of it. */
interface View {
  /** What somebody has to decide by hand. */
  readonly notice?: string;
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
}

type Describe<Type extends ObjectType> = (object: BusinessObject<Type>, near: Near) => View;

/** The collection of a fulfillment order, as the staff of a store and its customer see it. */
const collectionFacts = ({ collection }: BusinessObject<'fulfillment-order'>, near: Near): View['facts'] =>
  collection
    ? [
        ['Collected at', near.place(collection.locationId)],
        ['To be ready', rehearsalTime(collection.readyBy)],
        ['At the counter', collection.readyAt && `since ${rehearsalTime(collection.readyAt)}`],
        ['Collected until', collection.until && rehearsalTime(collection.until)],
        ['Code of the customer', collection.code],
        ['May collect', collection.person],
        ['Handed over to', collection.handedOverTo],
      ]
    : [];

const views: { readonly [Type in ObjectType]?: Describe<Type> } = {
  order: (order, near) => ({
    notice:
      order.reconciliation &&
      'Goods arrived after they were refunded. Agree with the customer: the customer pays for them, or sends them back.',
    facts: [
      ['Customer', near.link('customer', order.customerId)],
      ['Ordered', rehearsalTime(order.createdAt)],
      ['Sold', soldAt(order, near)],
      ['Prices', order.priceSource === 'given' ? `Given by ${order.reference?.source ?? 'another system'}` : undefined],
      ['To', order.shippingAddress && inOneLine(order.shippingAddress)],
      ['Collected at', order.collection && near.place(order.collection.locationId)],
      ['Paid', order.payAt && 'At a till of the store, when it is collected'],
      ['Completed', order.completedAt && rehearsalTime(order.completedAt)],
      ['Cancelled because', order.cancelReason?.replaceAll('-', ' ')],
      ['In progress', order.pendingAction && `${order.pendingAction.action}, since ${rehearsalTime(order.pendingAction.since)}`],
      [
        'Routing',
        order.routingStatus && (order.routingStatus === 'manual' ? 'It waits for somebody to route it.' : 'It failed, and is retried.'),
      ],
      ['Capture', order.captureStatus && 'It failed, and is retried.'],
      ['Cancellation', order.compensation && 'Its effects at other applications are still being undone.'],
      ['Stock', order.stockDiscrepancy && 'The store sold units that the stock records lack.'],
      ['In exchange for', near.link('return', order.exchangeForReturnId)],
      ['Basket', near.link('basket', order.basketId)],
    ],
    sections: [
      { title: 'Goods', content: goodsOf(order, near, near.get('basket', order.basketId)?.vouchers) },
      {
        title: 'Payments',
        content: list(
          rowsOf(near, 'payment', isOfOrder(order.id)),
          outstandingOf(order, near).amount > 0 && order.state !== 'cancelled'
            ? `${moneyInWords(outstandingOf(order, near))} of the total is not covered.`
            : 'There is no payment.',
        ),
      },
      {
        title: 'Parcels',
        content: list(rowsOf(near, 'fulfillment-order', isOfOrder(order.id)).toReversed(), whyNoParcel(order)),
      },
      ...section('Returns', rowsOf(near, 'return', isOfOrder(order.id))),
      { title: 'Points', content: pointsOf(order, near) },
    ],
  }),
  basket: (basket, near) => ({
    facts: [
      ['Customer', near.link('customer', basket.customerId)],
      ['Opened', rehearsalTime(basket.createdAt)],
      ['Sold', soldAt(basket, near)],
      ['To', basket.shippingAddress && inOneLine(basket.shippingAddress)],
      ['Collected at', basket.collection && near.place(basket.collection.locationId)],
      ['Tax', taxIn(basket)],
      ['Order', near.link('order', basket.orderId)],
      ['Merged into', near.link('basket', basket.mergedInto)],
      ['Reservation', near.link('reservation', basket.reservationId)],
      ['Expires', basket.expiresAt && rehearsalTime(basket.expiresAt)],
    ],
    sections: [
      { title: 'Goods', content: goodsOf(basket, near, basket.vouchers) },
      ...section('Payments', rowsOf(near, 'payment', isOfOrder(basket.transactionId))),
    ],
  }),
  payment: (payment, near) => ({
    facts: [
      ['Order', near.link('order', payment.orderId)],
      ['Customer', near.link('customer', near.get('order', payment.orderId)?.customerId)],
      ['Pays with', tenderOf(payment)],
      ['Cash received', payment.tendered && moneyInWords(payment.tendered)],
      ['Change', payment.change && moneyInWords(payment.change)],
      ['Rounding of cash', payment.rounding && moneyInWords(payment.rounding)],
      ['Pays for', near.link('return', payment.returnId)],
      [
        'Authorised until',
        payment.state === 'authorised' && payment.authorizationExpiresAt && rehearsalTime(payment.authorizationExpiresAt),
      ],
      ['Code of the provider', payment.authorizationCode],
      ['Declined because', payment.declineCode && (declines[payment.declineCode] ?? payment.declineCode.replaceAll('_', ' '))],
    ],
    sections: [
      {
        title: 'Amounts',
        content: sums([
          ['Requested', payment.amount],
          ['Authorised', payment.authorizedAmount],
          ['Captured', payment.capturedAmount],
          ['Refunded', negative(payment.refundedAmount)],
          payment.disputes && ['Withdrawn by disputes', negative(disputed(payment, 'open', 'lost'))],
          payment.disputes && ['Fees of disputes', negative(feesOf(payment))],
          ['The shop keeps', minus(payment.capturedAmount, payment.refundedAmount, disputed(payment, 'open', 'lost'), feesOf(payment))],
        ]),
      },
      ...section(
        'Refunds',
        payment.refunds.map(({ amount, state, failureReason, payOutTo, reason, returnId, at }, index) => (
          <Row key={`refund ${index + 1}`} title={moneyInWords(amount)}>
            {at && rehearsalTime(at)} {state} {failureReason && `(${failureReason.replaceAll('_', ' ')})`}{' '}
            {payOutTo && `to the gift card ${payOutTo.token}`} {reason} {near.link('return', returnId, 'for a return')}
          </Row>
        )),
      ),
      ...section(
        'Disputes',
        (payment.disputes ?? []).map(({ id, amount, fee, state, reason, openedAt, respondBy, decidedAt }) => (
          <Row key={id} title={moneyInWords(amount)} state={state}>
            {DISPUTE_REASONS[reason] ?? reason}. Opened {rehearsalTime(openedAt)},{' '}
            {decidedAt === undefined
              ? `lost at ${rehearsalTime(respondBy)} unless the bank decides before`
              : `${state} ${rehearsalTime(decidedAt)}`}
            . The bank charges a fee of {moneyInWords(fee)}.
          </Row>
        )),
      ),
    ],
  }),
  'fulfillment-order': (order, near) => ({
    facts: [
      ['Order', near.link('order', order.orderId)],
      ['Customer', near.link('customer', near.get('order', order.orderId)?.customerId)],
      ['Location', near.place(order.locationId)],
      ...collectionFacts(order, near),
      ['Failed because', order.failureReason && FAILURES[order.failureReason]],
    ],
    sections: [
      {
        title: 'Goods to pick',
        content: goods(
          order.lines.map(({ orderLineId: key, sku, qty, pickedQty, shortQty }) => ({
            key,
            sku,
            notes: [counted(qty, 'unit'), `${pickedQty} picked`, shortQty > 0 && `${shortQty} missing`],
          })),
          near,
        ),
      },
      {
        title: 'Parcel',
        content: list(rowsOf(near, 'shipment'), 'There is no parcel before the dispatch.'),
      },
    ],
  }),
  shipment: (parcel, near) => {
    const order = near.of('order').find(({ id }) => id === near.get('fulfillment-order', parcel.fulfillmentOrderId)?.orderId)?.object;
    return {
      facts: [
        ['Order', near.link('order', order?.id)],
        ['Customer', near.link('customer', order?.customerId)],
        ['Fulfillment order', near.link('fulfillment-order', parcel.fulfillmentOrderId)],
        ['Brings back', near.link('return', parcel.returnId)],
        ['Carrier', `${parcel.carrier}, ${parcel.service.toLowerCase()}`],
        [
          'Expected',
          parcel.estimatedDelivery && `${rehearsalTime(parcel.estimatedDelivery.from)} to ${rehearsalTime(parcel.estimatedDelivery.to)}`,
        ],
      ],
      sections: [
        { title: 'Scans', content: scans(parcel) },
        // Who has a lost parcel in hand reads here whether its money was refunded.
        ...section('Order and payments', [...rowsOf(near, 'order'), ...rowsOf(near, 'payment')]),
      ],
    };
  },
  return: (back, near) => ({
    facts: [
      ['Order', near.link('order', back.orderId)],
      ['Customer', near.link('customer', back.customerId)],
      [
        'Comes back',
        back.dropOff === 'store' ? `to the store ${near.place(back.locationId)}` : `by parcel to ${near.place(back.locationId)}`,
      ],
      ['The customer wants', back.resolution === 'exchange' ? 'other goods' : 'the money back'],
      ['Exchanged for', near.link('order', back.exchangeOrderId ?? exchangeDraftOf(back.id, near)?.id)],
      ['Rejected because', back.rejectReason],
    ],
    sections: [
      {
        title: 'Goods',
        content: (
          <>
            {goods(
              back.lines.map(({ orderLineId: key, sku, qty, reason, condition, disposition }) => ({
                key,
                sku,
                notes: [counted(qty, 'unit'), reason, condition && CONDITIONS[condition], disposition && DISPOSITIONS[disposition]],
              })),
              near,
            )}
            {sums([
              ['Worth', back.refundAmount],
              back.refundTax && ['Tax in it', back.refundTax],
              ...back.refunds.map(
                ({ amount, paymentId, at }): Sum => [
                  <>
                    Refunded {at && rehearsalTime(at)} to {near.link('payment', paymentId)}
                  </>,
                  amount,
                ],
              ),
            ])}
          </>
        ),
      },
      ...section('Parcel', rowsOf(near, 'shipment')),
    ],
  }),
  customer: (customer, near) => ({
    facts: [
      ['E-mail', customer.email],
      ['Phone', customer.phone],
      ['Address', customer.addresses[0] && inOneLine(customer.addresses[0])],
      ['Member', near.link('loyalty-account', customer.loyaltyAccountId)],
      ['Points', near.get('loyalty-account', customer.loyaltyAccountId)?.pointsBalance.toLocaleString('en')],
      ['We owe', owedIn(near) ?? 'nothing'],
      ['Last contact', customer.lastActivityAt && rehearsalTime(customer.lastActivityAt)],
    ],
    sections: [
      {
        title: 'Orders',
        content: list(
          rowsOf(near, 'order', ({ object }) => object.customerId === customer.id),
          'The customer has not ordered yet.',
        ),
      },
      ...section(
        'Open baskets',
        rowsOf(near, 'basket', ({ state }) => state === 'open' || state === 'locked'),
      ),
      ...section('Returns', rowsOf(near, 'return')),
      ...section(
        'Contacts',
        customer.interactions.map(({ id, type, note, occurredAt }) => (
          <Row key={id} title={type}>
            {rehearsalTime(occurredAt)} {note}
          </Row>
        )),
      ),
    ],
  }),
  reservation: (reservation, near) => ({
    facts: [
      ['Order', near.link('order', reservation.orderId)],
      ['Basket', near.link('basket', reservation.basketId)],
      ['Expires', reservation.expiresAt ? rehearsalTime(reservation.expiresAt) : 'never'],
    ],
    sections: [
      {
        title: 'Reserved stock',
        content: goods(
          reservation.allocations.map(({ sku, locationId, qty, fulfilledQty, cancelledQty }, place) => ({
            key: String(place),
            sku,
            notes: [
              `${counted(qty, 'unit')} at ${near.place(locationId)}`,
              fulfilledQty > 0 && `${fulfilledQty} have left`,
              cancelledQty > 0 && `${cancelledQty} cancelled`,
            ],
          })),
          near,
        ),
      },
    ],
  }),
  'loyalty-account': (account, near) => ({
    facts: [
      ['Member', near.link('customer', account.customerId)],
      ['Card', account.cardNumber],
      ['Balance', counted(account.pointsBalance, 'point')],
      ['Tier', account.tier],
      ['To the next tier', account.pointsToNextTier && counted(account.pointsToNextTier, 'point')],
    ],
    sections: [
      {
        title: 'Ledger, newest first',
        content: list(
          account.entries.toReversed().map((entry) => ledgerRow(entry, near)),
          'There is no entry yet.',
        ),
      },
    ],
  }),
  product: (product) => ({
    facts: [
      ['Price', moneyInWords(product.price)],
      ['Brand', product.brand],
      ['GTIN', product.gtin],
      ['For buyers from', product.minAge && `${product.minAge} years`],
      ['Stock', <a href={linkHere('stock', product.sku)}>{product.sku}</a>],
    ],
    sections: [
      {
        title: 'In the shop',
        content: (
          <div class={`in line ${css['product']}`}>
            <Picture sku={product.sku} large />
            <p>{product.description}</p>
          </div>
        ),
      },
    ],
  }),
};

/** What a client calls the object. */
const namesOf = ({ reference, metadata }: Pick<BusinessObject<'order'>, 'reference' | 'metadata'>): readonly Fact[] => [
  ['Reference', reference && `${reference.id} of ${reference.source}`],
  [
    'Metadata',
    metadata &&
      Object.entries(metadata)
        .map(([name, text]) => `${name}: ${text}`)
        .join(', '),
  ],
];

/** The description of an object; undefined when its type has none. */
export function viewOf(type: string, object: object, near: Near): View | undefined {
  const view = (views as Readonly<Record<string, Describe<never> | undefined>>)[type]?.(object as never, near);
  if (!view) return undefined;
  const facts = [...view.facts, ...namesOf(object)];
  return { ...view, facts: facts.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== 0) };
}

const isOfOrder =
  (id: string | undefined) =>
  ({ object: { orderId } }: { readonly object: { readonly orderId: string } }): boolean =>
    orderId === id;

type Order = BusinessObject<'order'>;
type Address = NonNullable<Order['shippingAddress']>;

/** Typed text can change the direction of the text after it, so each part is isolated. */
const inOneLine = ({ name, line1, line2, postalCode, city, region, country, phone }: Address): string =>
  [name, line1, line2, [postalCode, city].filter(Boolean).join(' '), region, country, phone]
    .filter(Boolean)
    .map((part) => `\u2068${part}\u2069`)
    .join(', ');
/** What open returns are worth to their customer, in money or other goods. */
function owedIn(near: Near): string | undefined {
  const open = near.of('return').filter(({ state }) => !RETURN_ENDS.includes(state ?? ''));
  const [first] = open;
  if (!first) return undefined;
  const worth = open.flatMap(({ object: { refundAmount, refunds } }) => [refundAmount, ...refunds.map(({ amount }) => negative(amount))]);
  const owed = sumOf(worth, first.object.refundAmount.currency);
  return `${moneyInWords(owed)} for ${counted(open.length, 'open return')}`;
}

const soldAt = ({ channel, storeId }: Pick<Order, 'channel' | 'storeId'>, near: Near): string =>
  channel === 'pos' ? `at the till of ${near.place(storeId)}` : { web: 'in the web shop', app: 'in the app' }[channel];
const sumOf = (amounts: readonly Money[], currency: string): Money =>
  money(
    amounts.reduce((sum, { amount }) => sum + amount, 0),
    currency,
  );
const negative = ({ amount, currency }: Money): Money => money(-amount, currency);

type Disputed = Pick<BusinessObject<'payment'>, 'amount' | 'disputes'>;
type Dispute = NonNullable<Disputed['disputes']>[number];

/** What disputes in these states have withdrawn. */
const disputed = ({ amount: { currency }, disputes = [] }: Disputed, ...states: readonly Dispute['state'][]): Money =>
  sumOf(
    disputes.flatMap(({ state, amount }) => (states.includes(state) ? [amount] : [])),
    currency,
  );

const refundsIn = ({ amount: { currency }, refunds }: BusinessObject<'payment'>, wanted: 'pending' | 'failed'): Money =>
  sumOf(
    refunds.flatMap(({ state, amount }) => (state === wanted ? [amount] : [])),
    currency,
  );

/** The provider charges the fee of a dispute, won or lost. */
const feesOf = ({ amount: { currency }, disputes = [] }: Disputed): Money =>
  sumOf(
    disputes.map(({ fee }) => fee),
    currency,
  );

const CONDITIONS = { resellable: 'as new', damaged: 'damaged' };
const DISPOSITIONS = { restock: 'back in stock', scrap: 'scrapped' };

const FAILURES = {
  short: 'no unit was found',
  'delivery-attempts': 'three attempts to deliver failed',
  lost: 'the carrier lost the parcel',
  'not-collected': 'nobody collected the goods',
  changed: 'its order was changed before picking',
};

const tenderOf = ({ tender: { type, last4, token } }: BusinessObject<'payment'>): string =>
  [type, last4 !== undefined && `…${last4}`, last4 === undefined && token].filter(Boolean).join(' ');

const whyNoParcel = ({ state, channel }: Order): string =>
  channel === 'pos'
    ? 'The customer takes the goods along.'
    : state === 'draft'
      ? 'The warehouse gets the order once it is confirmed.'
      : 'The warehouse has no part of this order.';

interface Good {
  readonly key: string;
  readonly sku: string;
  readonly notes: readonly (string | false | undefined)[];
  readonly amount?: Money;
}

/** A list of goods, each with its picture and name. */
const goods = (all: readonly Good[], near: Near) => (
  <ul class={`lined ${css['goods']}`}>
    {all.map(({ key, sku, notes, amount }) => (
      <li key={key}>
        <Picture sku={sku} />
        <span>
          <a href={linkHere('stock', sku)}>{near.name(sku)}</a>
          <span class="muted">{notes.filter(Boolean).join(' · ')}</span>
        </span>
        {amount && <strong>{moneyInWords(amount)}</strong>}
      </li>
    ))}
  </ul>
);

/** Shows the drawing without the name below it, which is too small to read beside a line. */
const CLOSE_UP = '#svgView(viewBox(24,8,192,192))';

/** The drawing of the gateway: the policy of the page allows no foreign pictures. The name stands beside it. */
const Picture = ({ sku, large }: { sku: string; large?: boolean }) => (
  <img
    class={css['picture']}
    data-large={large}
    src={`/media/products/${encodeURIComponent(sku)}.svg${large ? '' : CLOSE_UP}`}
    alt=""
    loading="lazy"
  />
);

/** Whether tax that is added is known. */
function taxIn({ taxStatus, destination }: BusinessObject<'basket'>): string | undefined {
  if (taxStatus === 'unknown') return 'not known before the address';
  return taxStatus === 'estimated' && destination
    ? `estimated for ${[destination.region, destination.country].filter(Boolean).join(', ')}`
    : undefined;
}

type Sold = Pick<Order, 'totals' | 'shippingMethod'> & {
  readonly priceSource?: Order['priceSource'];
  readonly lines: readonly (BusinessObject<'basket'>['lines'][number] & Partial<Order['lines'][number]>)[];
};

/** The lines of an order or a basket, and the sums that make up the total. */
function goodsOf({ lines, totals, shippingMethod, priceSource }: Sold, near: Near, vouchers: BusinessObject<'basket'>['vouchers'] = []) {
  const applied = vouchers.filter(({ status }) => status === 'applied');
  const byVoucher = applied.reduce((sum, { discount }) => sum + discount.amount, 0);
  const byPromotion = money(totals.discount.amount - byVoucher, totals.total.currency);
  return (
    <>
      {goods(
        lines.map(
          ({ lineId, sku, qty, unitPrice, discount, lineTotal, minAge, nodeId, nodes, fulfilledQty, returnedQty, cancelledQty }) => ({
            key: lineId,
            sku,
            amount: lineTotal,
            notes: [
              `${qty} × ${moneyInWords(unitPrice)}`,
              discount.amount > 0 && `${moneyInWords(discount)} off`,
              nodes ? nodes.map((at) => `${at.qty} from ${near.place(at.locationId)}`).join(', ') : nodeId && `from ${near.place(nodeId)}`,
              fulfilledQty !== undefined && fulfilledQty > (returnedQty ?? 0) && `${fulfilledQty - (returnedQty ?? 0)} with the customer`,
              returnedQty !== undefined && returnedQty > 0 && `${returnedQty} returned`,
              cancelledQty !== undefined && cancelledQty > 0 && `${cancelledQty} cancelled`,
              minAge !== undefined && `from ${minAge} years`,
            ],
          }),
        ),
        near,
      )}
      {sums([
        ['Goods', totals.subtotal],
        byPromotion.amount > 0 && [priceSource === 'given' ? 'Discounts' : 'Promotions', negative(byPromotion)],
        ...applied.map(({ code, discount }): Sum => [`Voucher ${near.voucher(code)}`, negative(discount)]),
        (totals.shipping.amount > 0 || shippingMethod) && [
          shippingMethod ? `Shipping, ${shippingMethod.toLowerCase()}` : 'Shipping',
          totals.shipping,
        ],
        ...(totals.taxes ?? []).map(({ rate, taxable, tax }): Sum => [`Tax, ${rate} % of ${moneyInWords(taxable)}`, tax]),
        ['Total', totals.total],
        totals.taxIncluded !== false && totals.tax.amount > 0 && ['Tax in the total', totals.tax],
      ])}
      {vouchers
        .filter(({ status }) => status === 'rejected')
        .map(({ code, reason }) => (
          <p key={code} class="in muted">
            Voucher {near.voucher(code)} was refused: {reason?.replaceAll('_', ' ')}.
          </p>
        ))}
    </>
  );
}

type Sum = readonly [label: ComponentChildren, amount: Money];

const sums = (all: readonly (Sum | false | 0 | undefined)[]) => (
  <dl class={css['sums']}>
    {all
      .filter((one): one is Sum => Boolean(one))
      .map(([label, amount], place) => (
        <div key={place} data-total={label === 'Total' ? '' : undefined}>
          <dt>{label}</dt>
          <dd>{moneyInWords(amount)}</dd>
        </div>
      ))}
  </dl>
);

/** A list, or a sentence when it is empty. */
const list = (rows: readonly ComponentChildren[], ifEmpty: string) =>
  rows.length === 0 ? <p class="in muted">{ifEmpty}</p> : <ul class={`lined ${css['parts']}`}>{rows}</ul>;

/** A section that appears only with rows. */
const section = (title: string, rows: readonly ComponentChildren[]): readonly Section[] =>
  rows.length === 0 ? [] : [{ title, content: list(rows, '') }];

interface RowProps {
  readonly title: ComponentChildren;
  readonly state?: string;
  readonly children?: ComponentChildren;
}

const Row = ({ title, state, children }: RowProps) => (
  <li>
    <p class="line">
      <strong>{title}</strong>
      {state && <Badge>{state}</Badge>}
    </p>
    <div class="muted">{children}</div>
  </li>
);

type Listed = 'order' | 'basket' | 'payment' | 'fulfillment-order' | 'shipment' | 'return';

/** The row of a related object: its title, and its details below. */
const ROWS: { readonly [Type in Listed]: (item: Neighbour<Type>, near: Near) => RowProps } = {
  order: ({ id, object }, near) => ({
    title: near.link('order', id),
    children: `${goodsInWords(near, object.lines)} · ${moneyInWords(object.totals.total)} · ${rehearsalTime(object.createdAt)}`,
  }),
  basket: ({ id, object }, near) => ({ title: near.link('basket', id), children: goodsInWords(near, object.lines) || 'empty' }),
  payment: ({ id, object }, near) => {
    const { capturedAmount, refundedAmount, change, declineCode } = object;
    const [open, lost] = [disputed(object, 'open'), disputed(object, 'lost')];
    const [pending, failed] = [refundsIn(object, 'pending'), refundsIn(object, 'failed')];
    return {
      title: near.link('payment', id),
      children: [
        capturedAmount.amount > 0 && `${moneyInWords(capturedAmount)} captured`,
        refundedAmount.amount > 0 && `, ${moneyInWords(refundedAmount)} refunded`,
        pending.amount > 0 && ` (${moneyInWords(pending)} pending)`,
        failed.amount > 0 && `, refunds of ${moneyInWords(failed)} failed`,
        open.amount > 0 && `, ${moneyInWords(open)} disputed`,
        lost.amount > 0 && `, ${moneyInWords(lost)} lost by a dispute`,
        change && change.amount > 0 && `, ${moneyInWords(change)} change`,
        declineCode,
      ],
    };
  },
  'fulfillment-order': ({ id, object }, near) => ({
    title: <>From {near.link('fulfillment-order', id, near.place(object.locationId))}</>,
    children: [
      goodsInWords(near, object.lines),
      object.failureReason && <p>It failed: {FAILURES[object.failureReason]}.</p>,
      <ul>{rowsOf(near, 'shipment', (parcel) => parcel.object.fulfillmentOrderId === id)}</ul>,
    ],
  }),
  shipment: ({ id, object }, near) => ({ title: <>Parcel {near.link('shipment', id)}</>, children: scans(object) }),
  return: ({ id, object }, near) => ({
    title: <>Return over {near.link('return', id)}</>,
    children: [
      `${goodsInWords(near, object.lines)}: ${object.lines[0]?.reason}`,
      object.rejectReason && <p>Rejected: {object.rejectReason}</p>,
      <ul>{rowsOf(near, 'shipment', (parcel) => parcel.object.returnId === id)}</ul>,
    ],
  }),
};

const rowsOf = <Type extends Listed>(near: Near, type: Type, isOne: (item: Neighbour<Type>) => boolean = () => true) =>
  near
    .of(type)
    .filter(isOne)
    .map((item) => <Row key={item.id} state={item.state} {...ROWS[type](item, near)} />);

const ledgerRow = ({ type, points, at, orderId, reason }: BusinessObject<'loyalty-account'>['entries'][number], near: Near) => (
  <Row key={`${at} ${points}`} title={signed(points)} state={type}>
    {rehearsalTime(at)} {near.get('order', orderId) && near.link('order', orderId)} {reason}
  </Row>
);

const signed = (points: number): string => `${points > 0 ? '+' : ''}${counted(points, 'point')}`;

const scans = ({ events }: BusinessObject<'shipment'>) =>
  events.length === 0 ? (
    <p class="in muted">It has not been scanned yet.</p>
  ) : (
    <ol class={css['scans']}>
      {events.map(({ status, occurredAt, location, message }) => (
        <li key={`${occurredAt} ${status}`}>
          <strong>{status}</strong> {rehearsalTime(occurredAt)} {location} {message}
        </li>
      ))}
    </ol>
  );

function pointsOf({ id, loyaltyAccountId, state, earningAmount }: Order, near: Near): ComponentChildren {
  if (loyaltyAccountId === undefined) return <p class="in muted">The customer collects no points.</p>;
  const entries = near.get('loyalty-account', loyaltyAccountId)?.entries.filter(({ orderId }) => orderId === id) ?? [];
  return list(
    entries.map((entry) => ledgerRow(entry, near)),
    state === 'completed' || state === 'return-in-progress'
      ? `${applicationTitle('loyalty-platform')}: none of the newest entries is about this order${earningAmount ? `, which earns points for ${moneyInWords(earningAmount)}` : ''}.`
      : state === 'cancelled'
        ? 'It is cancelled, so it earns no points.'
        : 'Its points are booked when it is completed.',
  );
}
