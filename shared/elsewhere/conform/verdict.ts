import type { CallResult, CheckResult } from './checks.ts';

/** `missing`: other applications need the call, and the system does not offer it. `not checked`: a call that it needs has a mistake. `unchecked`: no check covers the call. */
export type Verdict = 'conforms' | 'deviates' | 'missing' | 'not checked' | 'not offered' | 'unchecked';

export const deviates = ({ outcome, isExcused }: Pick<CheckResult, 'outcome' | 'isExcused'>): boolean =>
  outcome === 'failed' || (outcome === 'not checked' && !isExcused);

export function verdictOf({ obligation, offer, checks }: CallResult): Verdict {
  if (offer === 'unchecked') return offer;
  if (offer === 'not offered') return obligation === 'must' ? 'missing' : offer;
  if (checks.some(deviates)) return 'deviates';
  return checks.length > 0 && checks.every(({ outcome }) => outcome === 'not checked') ? 'not checked' : 'conforms';
}

/** A system fits when it offers each required call, and each call that it offers conforms. */
export const fits = (result: CallResult): boolean => !['deviates', 'missing'].includes(verdictOf(result));

/** The status of all answers, if all calls got the same one: a server without the path does this. */
export function onlyStatusOf(results: readonly CallResult[]): number | undefined {
  const [status, ...others] = new Set(results.flatMap(({ statuses }) => statuses));
  return status === 0 || others.length > 0 ? undefined : status;
}

/** The checks of a call. A call without checks has one: whether the system offers the call. */
export function checksIn({ offer, obligation, checks }: CallResult): readonly CheckResult[] {
  if (offer === 'offered') return checks;
  const missing = { outcome: obligation === 'must' ? 'failed' : 'not offered', detail: 'The system does not offer this call.' } as const;
  const unchecked = {
    outcome: 'not checked',
    detail: 'No check covers this call. The system seems to offer it.',
    isExcused: true,
  } as const;
  return [
    { check: 'offered', title: 'is offered', ...(offer === 'unchecked' ? unchecked : missing), calls: [], startedAt: Date.now(), ms: 0 },
  ];
}

/** Maximum number of calls that a sentence names. */
const MOST_NAMED = 5;

/** @returns why the system does not fit, in a sentence */
export function failureOf(results: readonly CallResult[]): string | undefined {
  const unfit = results.filter((one) => !fits(one));
  if (unfit.length === 0) return undefined;
  const only = onlyStatusOf(results);
  if (only !== undefined) return `Every call was answered with ${only}: the address may be wrong.`;
  const named = (titles: readonly string[]): string =>
    titles.length > MOST_NAMED ? `${titles.slice(0, MOST_NAMED).join(', ')} and ${titles.length - MOST_NAMED} more` : titles.join(', ');
  const missing = unfit.filter((one) => verdictOf(one) === 'missing').map(({ api }) => api.name);
  const failed = unfit.filter((one) => verdictOf(one) === 'deviates').map(({ api }) => api.name);
  return [
    'It does not fit.',
    missing.length > 0 && `Missing: ${named(missing)}.`,
    failed.length > 0 && `Not as the contract demands: ${named(failed)}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
