import type { ClientCall } from './deeds.ts';
import { nounOf } from './names.ts';
import { isMoney, isRecord, type Path } from './references.ts';

/** A member of an answer, or the states of a list's elements, with its value. */
export interface Expectation {
  readonly label: string;
  readonly path: Path;
  readonly isListOfStates: boolean;
  /** Undefined: the member is gone. */
  readonly value: unknown;
}

/** Members that show what became of an object, by their paths. */
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

  /** What an answer shows that no earlier answer about its object showed. */
  return (call: ClientCall): readonly Expectation[] => {
    const { response, path, status } = call;
    if (status >= 300 || !isRecord(response)) return [];
    const object = typeof response['id'] === 'string' ? response['id'] : path;
    return candidatesOf(call, response).filter(({ path: member, value }) => {
      const key = `${object} ${member.join('.')}`;
      const text = JSON.stringify(value);
      const before = known.get(key);
      if (value !== undefined) known.set(key, text);
      else known.delete(key);
      return before === undefined ? value !== undefined && !isNothing(value) : before !== text;
    });
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
    return [{ label: wordsOf(name), path: [name], isListOfStates: true, value: states }];
  });
  return [...members, ...lists];
}

const wordsOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[String(name)] : undefined), value);

/** Values that every new object has. */
const isNothing = (value: unknown): boolean => value === false || (isMoney(value) && value.amount === 0);
