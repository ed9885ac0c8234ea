import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { objects } from '../../shared/catalog/objects.ts';

/** Nouns that the words of an API do not contain. */
const NOUNS: Readonly<Record<string, string>> = {
  'create-transaction-api': 'transaction',
  'void-transaction-api': 'transaction',
  'list-products-api': 'products',
  'search-customer-api': 'customers',
  'get-customer-360-api': 'customer view',
  'log-interaction-api': 'interaction',
  'track-shipment-api': 'parcel',
  'generate-label-api': 'label',
  'create-picking-order-api': 'picking order',
  'update-picking-status-api': 'picking order',
  'reserve-inventory-api': 'reservation',
  'get-inventory-api': 'stock',
  'get-stock-locations-api': 'stock',
  'check-availability-api': 'availability',
  'allocate-inventory-api': 'allocation',
  'get-member-balance-api': 'points',
  'list-ledger-entries-api': 'ledger',
  'enroll-loyalty-member-api': 'member',
  'issue-loyalty-points-api': 'points',
  'redeem-loyalty-points-api': 'redemption',
  'earn-points-api': 'points',
  'redeem-points-api': 'redemption',
  'evaluate-promotions-api': 'promotions',
  'validate-voucher-api': 'voucher',
};

/** What an API answers with: `fulfillment order`. */
export function nounOf({ id }: Pick<ApiDefinition, 'id'>): string {
  const types = objects.map(({ type }) => type).toSorted((one, other) => other.length - one.length);
  return NOUNS[id] ?? types.find((type) => id.includes(type))?.replaceAll('-', ' ') ?? 'answer';
}

const VERBS: Readonly<Record<string, string>> = { Get: 'Read', Checkout: 'Check out', Authorize: 'Authorise', Enroll: 'Enrol' };

/** The name of an API as the title of a step: “Confirm the order”. */
export function titleOf({ name }: Pick<ApiDefinition, 'name'>): string {
  // “Hand Over” is one verb.
  const [verb = '', ...rest] = name.replace('Hand Over', 'Hand\u00a0over').split(' ');
  const noun = rest.join(' ').replaceAll(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
  const article = /^(?:line to|points|loyalty points|inventory|stock|availability|promotions|products|ledger)\b/.test(noun) ? '' : 'the ';
  return `${VERBS[verb] ?? verb} ${article}${noun}`.replace('\u00a0', ' ');
}

const ORDINALS = ['', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** `fulfillment order` as `fulfillmentOrder`. */
const camelCase = (words: string): string =>
  words
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .split(' ')
    .map((word, place) => (place === 0 ? `${word.charAt(0).toLowerCase()}${word.slice(1)}` : capital(word)))
    .join('');

/** `paymentStatus` as `payment status`. */
export const inWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

export const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '');

/** Reserved words of TypeScript that are nouns of the trade. */
const RESERVED: Readonly<Record<string, string>> = { return: 'goodsReturn' };

/** Names of variables, each given once. @param taken names that the text uses for other things */
export function createNames(taken: readonly string[]) {
  const used = new Set(taken);
  const take = (candidate: string): string | undefined => {
    if (used.has(candidate)) return undefined;
    used.add(candidate);
    return candidate;
  };
  /** `order`, `secondOrder`; for a later answer about the same object `completedOrder`, `laterCompletedOrder`. */
  return (words: string, isLater = false): string => {
    const plain = camelCase(words);
    const name = RESERVED[plain] ?? plain;
    const later = isLater ? (take(name) ?? take(`later${capital(name)}`)) : undefined;
    if (later !== undefined) return later;
    for (let place = isLater ? 1 : 0; ; place++) {
      const ordinal = ORDINALS[place];
      const candidate = place === 0 ? name : ordinal === undefined ? `${name}${place + 1}` : `${ordinal}${capital(name)}`;
      const free = take(candidate);
      if (free !== undefined) return free;
    }
  };
}
