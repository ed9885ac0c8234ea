import type { z } from 'zod';
import { canonicalJson } from '../domain/canonical-json.ts';
import type { Basket } from './commerce/objects.ts';
import type { Customer } from './customer/objects.ts';
import type { ObjectDefinition } from './define-object.ts';
import { type PickingStatus, pickingMoves } from './fulfillment/picking-orders.ts';
import type { Shipment } from './fulfillment/shipments.ts';
import type { InventoryItem } from './inventory/objects.ts';
import type { LifeCycle } from './life-cycle.ts';
import { type LoyaltyAccount, type Redemption, SHOWN_ENTRIES } from './loyalty/objects.ts';
import { hasOpenDispute, refundableOf } from './payment/cover.ts';
import type { Payment } from './payment/objects.ts';
import { hasFailed } from './payment/refunds.ts';
import { type Mismatch, money } from './plausible.ts';
import type { Figures } from './retailer.ts';
import { verbApis } from './verb-apis.ts';

const noEffect = (words: string): Mismatch => ({ violation: 'no_effect', words });

type Asked = Readonly<Record<string, unknown>>;
/** The verbs of a call, which may depend on its body. */
type Verbs = (asked: Asked) => readonly unknown[];

/** Calls whose answer shows the moved object, with the verbs that no client calls by an API. */
const otherVerbs: Readonly<Record<string, Readonly<Record<string, Verbs>>>> = {
  payment: {
    'authorize-payment-api': () => ['authorise', 'await-approval', 'require-action'],
    'complete-payment-action': () => ['authenticate', 'fail-authentication'],
  },
  reservation: { 'allocate-inventory-api': () => ['allocate'] },
  shipment: { 'scan-shipment': ({ scan }) => [scan] },
  basket: {
    'convert-basket': () => ['convert'],
    'abandon-basket': () => ['cancel-checkout'],
    'put-transaction-basket': () => ['start-transaction'],
    // Its verb `merge` moves other baskets than the answered one.
    'create-basket-api': () => ['create'],
  },
  customer: { 'move-customer': ({ verb }) => [verb] },
  product: { 'move-product': ({ verb }) => [verb] },
  order: { 'void-transaction-api': () => ['cancel'] },
};

/** The verbs that a call carries out on the answered object of a type. */
function verbsOf(api: string, type: string, asked: Asked): readonly unknown[] {
  const others = otherVerbs[type]?.[api];
  if (others) return others(asked);
  // A provider may return the money of a refund immediately, so the payment may keep its state.
  if (api === 'refund-payment-api') return [];
  const verbs: Readonly<Record<string, string>> = (verbApis as Readonly<Record<string, Readonly<Record<string, string>>>>)[type] ?? {};
  return Object.keys(verbs).filter((verb) => verbs[verb] === api);
}

/**
 * The states of an object after a verb: those that the verb leads to, and those that follow from them without passing a state that the verb
 * still has to leave. A real system may have moved the object on, and a repeated call shows its present state. A new object
 * has not ended otherwise.
 */
function statesAfter({ rows }: LifeCycle, verbs: readonly unknown[], isNew: boolean): ReadonlySet<string> {
  const done = rows.filter(({ verb }) => verbs.includes(verb));
  const isToDo = (state: string): boolean =>
    done.some(({ from, to }) => from.includes(state) && to.length > 0 && !to.includes(state)) &&
    !done.some(({ from, to }) => from.includes(state) && to.length === 0);
  const hasEnded = (state: string): boolean => rows.every(({ from, to }) => !from.includes(state) || to.length === 0);
  const open = done.flatMap(({ from, to }) => (to.length > 0 ? to : from.filter((state) => state !== null)));
  const after = new Set<string>();
  for (const state of open) {
    if (after.has(state) || isToDo(state)) continue;
    after.add(state);
    const next = rows.flatMap(({ from, to }) => (from.includes(state) ? to : []));
    open.push(...next.filter((one) => !isNew || !hasEnded(one)));
  }
  return after;
}

/** A success after which the life cycle of the object still has the call to be done. */
function unmoved({ api, definition: { type, lifeCycle }, after, isNew }: Acted, asked: Asked): Mismatch {
  const { state } = after as { readonly state?: unknown };
  const verbs = lifeCycle ? verbsOf(api, type, asked) : [];
  if (!lifeCycle || verbs.length === 0 || statesAfter(lifeCycle, verbs, isNew).has(String(state))) return undefined;
  return noEffect(`answered ${api} with success, and the ${type} is ${state}.`);
}

/** A call with an object of its answer. */
export interface Acted {
  readonly api: string;
  readonly definition: ObjectDefinition;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The body. */
  readonly asked: unknown;
  /** As it was known before the call. */
  readonly before: object | undefined;
  /** As it is known with the answer. */
  readonly after: object;
  /** Answered as a new object, and not as a repeat. */
  readonly isNew: boolean;
  readonly figures: Pick<Figures, 'loyalty'>;
}

/** What a success must show about an object. */
export function objectEffect(acted: Acted): Mismatch {
  const { api, definition } = acted;
  const asked = (acted.asked ?? {}) as Asked;
  return unmoved(acted, asked) ?? effects[definition.type]?.[api]?.({ ...acted, asked } as never);
}

type Effects<After, Body> = Readonly<
  Record<
    string,
    (acted: {
      readonly asked: Body;
      readonly params: Acted['params'];
      readonly before: After | undefined;
      readonly after: After;
      readonly isNew: boolean;
      readonly figures: Acted['figures'];
    }) => Mismatch
  >
>;

type Paid = z.output<typeof Payment>;
type Amount = Paid['amount'];
type PaymentBody = {
  readonly amount?: Amount;
  readonly acceptPartial?: boolean;
  readonly reference?: string;
  readonly tender?: { readonly type: string };
};
type PaymentEffect = Effects<Paid, PaymentBody>[string];

const authorises: PaymentEffect = ({ asked, after: { state, amount, authorizedAmount, rounding } }) => {
  // Cash above the outstanding amount pays only that. It may be rounded to coins.
  const rounded = amount.amount + Math.min(0, rounding?.amount ?? 0);
  const isAsked = asked.tender?.type === 'cash' ? (most: number) => rounded <= most : (all: number) => amount.amount === all;
  if (asked.amount && !isAsked(asked.amount.amount)) return money(`was asked for ${asked.amount.amount}, and pays ${amount.amount}.`);
  if (state !== 'authorised' || asked.acceptPartial || authorizedAmount.amount === amount.amount) return undefined;
  return money(`authorised ${authorizedAmount.amount} of ${amount.amount}, and the request did not accept a part.`);
};

const paymentEffects: Effects<Paid, PaymentBody> = {
  'authorize-payment-api': authorises,
  'add-payment-api': authorises,
  'capture-payment-api': ({ asked, after: { capturedAmount, authorizedAmount } }) => {
    const all = asked.amount?.amount ?? authorizedAmount.amount;
    return capturedAmount.amount === all ? undefined : money(`was asked to capture ${all}, and captured ${capturedAmount.amount}.`);
  },
  'refund-payment-api': ({ asked, before, after, isNew }) => {
    const amount = asked.amount?.amount ?? 0;
    const like = ({ refunds }: Paid) => refunds.filter((one) => one.amount.amount === amount);
    if (like(after).length === 0) return money(`was asked to refund ${amount}, and shows no refund of it.`);
    const isRepeat = !isNew || (asked.reference !== undefined && like(after).some(({ reference }) => reference === asked.reference));
    if (isRepeat || !before || like(after).length > like(before).length) return undefined;
    return noEffect(`answered a refund of ${amount} with success, and shows no new refund.`);
  },
  'reverse-payment': ({ after }) => {
    const { state, refunds, disputes } = after;
    const isLeft = refundableOf(after).amount > 0 && !refunds.some(hasFailed) && !hasOpenDispute(disputes);
    if (state !== 'authorised' && state !== 'requires-action' && !isLeft) return undefined;
    return noEffect(`answered a reversal with success, and the payment is ${state}.`);
  },
  'dispute-payment': ({ after: { disputes } }) =>
    hasOpenDispute(disputes) ? undefined : noEffect('answered a dispute with success, and no dispute is open.'),
  'decide-dispute': ({ after: { disputes } }) =>
    hasOpenDispute(disputes) ? noEffect('answered the outcome of a dispute with success, and the dispute is open.') : undefined,
};

const shipmentEffects: Effects<z.output<typeof Shipment>, object> = {
  'generate-label-api': ({ after: { labelStatus } }) =>
    labelStatus === 'ready' ? undefined : noEffect(`answered generate-label-api with success, and the labelStatus is ${labelStatus}.`),
};

type LoyaltyBody = {
  readonly points?: number;
  readonly reason?: string;
  readonly orderId?: string;
  readonly amount?: Amount;
};
type Account = z.output<typeof LoyaltyAccount>;

/** An account shows its newest entries only, so an old entry may be out of sight. */
const lacksEntry = ({ entries }: Account, isAsked: (entry: Account['entries'][number]) => boolean): boolean =>
  entries.length < SHOWN_ENTRIES && !entries.some(isAsked);

const redeems: Effects<Account, LoyaltyBody>[string] = ({ asked: { points = 0 }, after }) =>
  lacksEntry(after, (entry) => entry.type === 'redeem' && entry.points === -points)
    ? noEffect(`answered a redemption of ${points} points with success, and no entry of the account takes them.`)
    : undefined;

const issues: Effects<Account, LoyaltyBody>[string] = ({ asked: { points = 0 }, after }) =>
  lacksEntry(after, (entry) => entry.type === 'issue' && entry.points === points)
    ? noEffect(`answered a grant of ${points} points with success, and no entry of the account grants them.`)
    : undefined;

const loyaltyEffects: Effects<Account, LoyaltyBody> = {
  'earn-points-api': ({ asked: { orderId, amount }, after, figures: { loyalty } }) => {
    const isTooLittle = (amount?.amount ?? 0) < loyalty.earnPer;
    if (isTooLittle || !lacksEntry(after, (entry) => entry.type === 'earn' && entry.orderId === orderId && entry.points > 0))
      return undefined;
    return noEffect(`answered earn-points-api with success, and no entry of the account has points of the order ${orderId}.`);
  },
  'redeem-points-api': redeems,
  'redeem-loyalty-points-api': redeems,
  'issue-loyalty-points-api': issues,
  'put-ledger-entry': (acted) => {
    const { type } = acted.params;
    return type === 'redeem' ? redeems(acted) : type === 'issue' ? issues(acted) : undefined;
  },
};

type Line = { readonly sku?: string; readonly qty: number };
type Bought = z.output<typeof Basket>;

/** Whether a basket lacks a line that a request names by its SKU. */
const lacksLine = ({ lines }: Bought, { sku, qty }: Line): boolean =>
  sku !== undefined && !lines.some((line) => line.sku === sku && line.qty >= qty);

const fills: Effects<Bought, { readonly lines?: readonly Line[] }>[string] = ({ asked: { lines = [] }, after }) => {
  const missing = lines.find((line) => lacksLine(after, line));
  return missing && noEffect(`was asked for ${missing.qty} of ${missing.sku}, and the basket does not have them.`);
};

const basketEffects: Effects<Bought, Line & { readonly lines?: readonly Line[]; readonly placeOrder?: boolean }> = {
  'create-basket-api': fills,
  'put-transaction-basket': fills,
  'add-line-to-basket-api': ({ asked, after }) =>
    lacksLine(after, asked) ? noEffect(`was asked to add ${asked.qty} of ${asked.sku}, and the basket does not have them.`) : undefined,
  'change-basket-line-api': ({ asked: { qty }, params: { lineId }, after: { lines } }) =>
    lines.some((line) => line.lineId === lineId && line.qty === qty)
      ? undefined
      : noEffect(`was asked to set the line ${lineId} to ${qty}, and the basket does not have it.`),
  'remove-basket-line-api': ({ params: { lineId }, after: { lines } }) =>
    lines.some((line) => line.lineId === lineId)
      ? noEffect(`was asked to remove the line ${lineId}, and the basket still has it.`)
      : undefined,
  'checkout-basket-api': ({ asked: { placeOrder }, after: { reservationId, orderId } }) => {
    if (reservationId === undefined) return noEffect('answered a checkout with success, and the basket has no reservationId.');
    return placeOrder && orderId === undefined ? noEffect('was asked to place the order, and the basket has no orderId.') : undefined;
  },
  'convert-basket': ({ after: { orderId } }) =>
    orderId === undefined ? noEffect('answered a conversion with success, and the basket has no orderId.') : undefined,
};

/** The member of a merge patch that an object does not show. Texts may differ in case and in blanks around them. */
function unshown(asked: Asked, shown: Asked | undefined): string | undefined {
  const plain = (value: unknown): unknown => (typeof value === 'string' ? value.trim().toLowerCase() : (value ?? undefined));
  return Object.keys(asked).find((name) => {
    const [wanted, is] = [asked[name], shown?.[name]];
    const isPart = typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted) && typeof is === 'object' && is !== null;
    return isPart
      ? unshown(wanted as Asked, is as Asked) !== undefined
      : canonicalJson(plain(wanted) ?? null) !== canonicalJson(plain(is) ?? null);
  });
}

const shows = ({ asked, after }: { readonly asked: Asked; readonly after: object }): Mismatch => {
  const member = unshown(asked, after as Asked);
  return member === undefined ? undefined : noEffect(`answered a change of ${member} with success, and shows another value.`);
};

type Person = z.output<typeof Customer>;
const SHOWN_INTERACTIONS = 20;

const logs: Effects<Person, { readonly type?: string; readonly note?: string }>[string] = ({ asked, after: { interactions } }) =>
  interactions.length >= SHOWN_INTERACTIONS || interactions.some(({ type, note }) => type === asked.type && note === asked.note)
    ? undefined
    : noEffect(`was asked to log a ${asked.type}, and the customer does not show it.`);

const customerEffects: Effects<Person, Asked> = {
  'create-customer-api': shows,
  'change-customer': shows,
  'log-interaction-api': logs as never,
  'log-customer-interaction': logs as never,
  'put-party': ({ asked, after: { state } }) => {
    const { email, phone } = (asked['contact'] ?? {}) as { readonly email?: string; readonly phone?: string };
    if (state !== 'anonymous' || (email === undefined && phone === undefined)) return undefined;
    return noEffect('was asked to identify a party by e-mail or phone, and answered that it is anonymous.');
  },
};

/** By type of the answered object and by call. */
const effects: Readonly<Record<string, Effects<never, never>>> = {
  payment: paymentEffects,
  shipment: shipmentEffects,
  'loyalty-account': loyaltyEffects,
  basket: basketEffects,
  customer: customerEffects,
  product: { 'change-product': shows },
};

/** A call with its answer. */
interface Exchange {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly output: unknown;
}

const showsAsked = ({ body, output }: Exchange): Mismatch => {
  const { rule } = output as { readonly rule?: object };
  return shows({ asked: (body ?? {}) as Asked, after: rule ?? (output as object) });
};

const redemptionIsOpen = ({ output }: Exchange): Mismatch => {
  const { redemption } = output as { readonly redemption?: z.output<typeof Redemption> };
  if (!redemption) return noEffect('answered a redemption with success, and without the redemption.');
  return redemption.value.amount > 0 ? undefined : noEffect(`answered a redemption that can pay ${redemption.value.amount}.`);
};

/** The states of a redemption after each type of ledger entry. */
const REDEMPTION_STATES: Readonly<Record<string, readonly string[]>> = { redeem: ['open', 'spent'], spend: ['spent', 'returned'] };

const USES: Readonly<Record<string, readonly string[]>> = {
  locked: ['locked', 'redeemed'],
  redeemed: ['redeemed', 'released'],
  released: ['released'],
};

/** What an answer without the object must show, by call. */
const answerEffects: Readonly<Record<string, (exchange: Exchange) => Mismatch>> = {
  'redeem-points-api': redemptionIsOpen,
  'redeem-loyalty-points-api': redemptionIsOpen,
  'put-ledger-entry': (exchange) => {
    const type = exchange.params['type'] ?? '';
    const { amount } = (exchange.body ?? {}) as { readonly amount?: Amount };
    const { redemption } = exchange.output as { readonly redemption?: z.output<typeof Redemption> };
    // A reversal without an amount returns all that was paid.
    const states = REDEMPTION_STATES[type] ?? (type === 'reverse' && !amount ? ['returned'] : undefined);
    if (!states) return undefined;
    if (!redemption) return noEffect(`answered a ledger entry ${type} with success, and without its redemption.`);
    if (!states.includes(redemption.state))
      return noEffect(`answered a ledger entry ${type} with success, and the redemption is ${redemption.state}.`);
    if (type === 'redeem') return redemptionIsOpen(exchange);
    if (type !== 'spend' || !amount || redemption.value.amount === amount.amount) return undefined;
    return money(`was asked to spend ${amount.amount}, and the redemption has paid ${redemption.value.amount}.`);
  },
  'record-voucher-use': ({ body, output }) => {
    const { state: asked = '' } = body as { readonly state?: string };
    const { state } = output as { readonly state: string };
    return USES[asked]?.includes(state) ? undefined : noEffect(`was asked for vouchers that are ${asked}, and answered ${state}.`);
  },
  'move-hold': ({ body, output }) => {
    const { kind, allocations: asked } = body as { readonly kind?: string; readonly allocations?: readonly { readonly qty: number }[] };
    const { allocations } = output as { readonly allocations: readonly { readonly qty: number }[] };
    const sumOf = (all: readonly { readonly qty: number }[]): number => all.reduce((sum, { qty }) => sum + qty, 0);
    if (!asked || sumOf(asked) === sumOf(allocations)) return undefined;
    return noEffect(`was asked to ${kind} ${sumOf(asked)} units, and moved ${sumOf(allocations)}.`);
  },
  'count-stock': ({ body, output }) => {
    const { locationId, onHand } = body as { readonly locationId?: string; readonly onHand?: number };
    const level = (output as z.output<typeof InventoryItem>).locations.find((one) => one.locationId === locationId);
    return level?.onHand === onHand ? undefined : noEffect(`was asked to count ${onHand} at ${locationId}, and shows ${level?.onHand}.`);
  },
  'update-picking-status-api': ({ body, output }) => {
    const [asked, status] = [body, output].map((one) => (one as { readonly status: z.output<typeof PickingStatus> }).status);
    if (asked === undefined || status === undefined || followingStatuses(asked).has(status)) return undefined;
    return noEffect(`was asked for the status ${asked}, and the picking order is ${status}.`);
  },
  'change-gift-card': showsAsked,
  'change-payment-token': showsAsked,
  'change-promotion': showsAsked,
  'change-voucher': showsAsked,
};

function followingStatuses(status: z.output<typeof PickingStatus>): ReadonlySet<string> {
  const found = new Set<z.output<typeof PickingStatus>>([status]);
  for (const one of found) for (const next of pickingMoves[one]) found.add(next);
  return found;
}

/** What a success must show as a whole. */
export const answerEffect = (api: string, exchange: Exchange): Mismatch => answerEffects[api]?.(exchange);
