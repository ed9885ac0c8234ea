import { ALIAS_NAMES, ALIASES, scenarioPath } from './cases.ts';
import { type FixedResponse, fixedResponse } from './fixed-response.ts';
import type { TouchpointFixtures } from './fixtures.ts';

/** A contract path, which chooses a response by the selector header. */
export interface ContractEndpoint {
  choose(selector: string | undefined): FixedResponse | undefined;
}

/** The 23 contract paths: 21 scenario endpoints whose path implies the case, and two aliases that need the selector. */
export function contractTable({ cases }: TouchpointFixtures): ReadonlyMap<string, ContractEndpoint> {
  const table = new Map<string, ContractEndpoint>();
  for (const alias of ALIAS_NAMES) {
    const byCase = new Map<string, FixedResponse>();
    for (const fixture of cases.filter((candidate) => candidate.alias === alias)) {
      const response = fixedResponse(fixture);
      byCase.set(fixture.case, response);
      table.set(scenarioPath(fixture.case), { choose: () => response });
    }
    // There is no default: an absent selector is refused like an unknown one.
    table.set(ALIASES[alias].path, { choose: (selector) => (selector === undefined ? undefined : byCase.get(selector)) });
  }
  return table;
}
