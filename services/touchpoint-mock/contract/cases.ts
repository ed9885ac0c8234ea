/** The two real paths of the touchpoint interface, with the cases that `X-Mock-Case` can select on each. */
export const ALIASES = {
  calculate: {
    path: '/retail/touchpoint/basket/calculate',
    cases: ['01', '02', '03', '04', '06', '07', '08', '14', '14refused', '14unavailable', '15', '16', '16b', '17', '18', '19'],
    prefilled: '02',
  },
  finish: { path: '/retail/touchpoint/basket/finish', cases: ['09', '10', '10r', '10c', '10claimed'], prefilled: '10' },
} as const;

export type Alias = keyof typeof ALIASES;
export type CaseName = (typeof ALIASES)[Alias]['cases'][number];

export const ALIAS_NAMES: readonly Alias[] = ['calculate', 'finish'];

/** All 21 cases, calculate first; the cases of an alias follow its selector list. */
export const CASES: readonly { readonly name: CaseName; readonly alias: Alias }[] = ALIAS_NAMES.flatMap((alias) =>
  ALIASES[alias].cases.map((name) => ({ name, alias })),
);

/** The sequence of cases that the source document suggests to a client: items, loyalty, finish, retry of finish. */
export const SUGGESTED_SEQUENCE: readonly CaseName[] = ['02', '03', '04', '14', '10', '10r'];

/** A selector that is documented as always invalid. No case has this name, so it needs no code. */
export const INVALID_SELECTOR = 'MOCK_ONLY_INVALID_SELECTOR';

/** Path of the scenario endpoint whose path implies the selector. */
export function scenarioPath(name: CaseName): string {
  return `/caso${name}`;
}
