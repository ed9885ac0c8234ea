import type { ClientCall } from './deeds.ts';
import { inWords, nounOf } from './names.ts';
import { isMoney, isRecord, type Path } from './references.ts';

/** A member of an answer, or the states of a list's elements, with its value. */
export interface Expectation {
  readonly label: string;
  readonly path: Path;
  readonly isListOfStates: boolean;
  /** The list. */
  readonly elements?: readonly unknown[];
  /** Undefined: the member is gone. */
  readonly value: unknown;
}

/** Paths of members that show the state of an object. */
const STATES: readonly string[] = [
  'state',
  'paymentStatus',
  'transactionState',
  'orderSubmission',
  'compensation',
  'loyalty.status',
  'stockDiscrepancy',
];
const FIGURES: readonly string[] = [
  'totals.total',
  'outstanding',
  'authorizedAmount',
  'capturedAmount',
  'refundedAmount',
  'owedRefund',
  'pointsBalance',
  'availability.atp',
];

/** The last known value of each member, by object. */
export function createExpectations() {
  const known = new Map<string, string>();
  /** Amounts that the story has named: the total of an order is the total of its basket. */
  const amounts = new Set<string>();

  /** The states of a list's elements. @returns undefined unless earlier answers have shown the state of every element */
  function statesKnown(elements: readonly unknown[] | undefined): string | undefined {
    const states = elements?.map((element) => (isRecord(element) ? known.get(`${String(element['id'])} state`) : undefined));
    return states === undefined || states.includes(undefined) ? undefined : `[${states.join(',')}]`;
  }

  /** The members of an answer that differ from earlier answers about its object. The last read of an object shows at least its state. */
  return (call: ClientCall, isLastRead: boolean): readonly Expectation[] => {
    const { api, response, path, status, isAtRest } = call;
    if (status >= 300 || !isRecord(response)) return [];
    const object = typeof response['id'] === 'string' ? response['id'] : path;
    // Before its consequences have ended, a change shows in some reads and not in others.
    if (api.method === 'GET' && !isAtRest) return [];
    const candidates = candidatesOf(call, response);
    const news = candidates.filter(({ path: member, value, elements }) => {
      const key = `${object} ${member.join('.')}`;
      const text = JSON.stringify(value);
      const before = known.get(key) ?? statesKnown(elements);
      if (value !== undefined) known.set(key, text);
      else known.delete(key);
      return before === undefined ? value !== undefined && !isInitial(value) : before !== text;
    });
    const isKnownAmount = ({ path: [member], value }: Expectation): boolean =>
      (member === 'totals' || member === 'authorizedAmount') && amounts.has(JSON.stringify(value));
    const shown = news.filter((one) => !isKnownAmount(one));
    for (const { value } of shown) if (isMoney(value)) amounts.add(JSON.stringify(value));
    const states = candidates.filter(({ path: [member], value }) => member === 'state' && value !== undefined);
    return shown.length === 0 && isLastRead ? states : shown;
  };
}

function candidatesOf(call: ClientCall, response: Readonly<Record<string, unknown>>): readonly Expectation[] {
  const members = [...STATES, ...FIGURES].map((name): Expectation => {
    const path = name.split('.');
    const label =
      name === 'state' ? nounOf(call.api) : wordsOf(path.length > 1 && path.at(-1) === 'status' ? (path[0] ?? '') : (path.at(-1) ?? ''));
    return { label, path, isListOfStates: false, value: at(response, path) };
  });
  const lists = Object.entries(response).flatMap(([name, list]): readonly Expectation[] => {
    const states = Array.isArray(list) ? list.map((item: unknown) => (isRecord(item) ? item['state'] : undefined)) : [];
    if (states.length === 0 || !states.every((state) => typeof state === 'string')) return [];
    // The payment status of an order follows from its only payment.
    if (name === 'payments' && states.length === 1 && 'paymentStatus' in response) return [];
    return [{ label: wordsOf(name), path: [name], isListOfStates: true, value: states, elements: list as readonly unknown[] }];
  });
  return [...members, ...lists];
}

const wordsOf = (name: string): string => inWords(name).replace('authorized', 'authorised');

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[String(name)] : undefined), value);

/** Values that every new object has. */
const isInitial = (value: unknown): boolean =>
  value === false || ['unpaid', 'available', 'none'].includes(String(value)) || (isMoney(value) && value.amount === 0);
