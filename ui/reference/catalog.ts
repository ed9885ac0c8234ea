import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { magicValues as values } from '../../shared/catalog/magic-values.ts';
import { problems as codes, commonProblems, type ProblemCode } from '../../shared/catalog/problems.ts';
import { presetOf, variablesByName } from '../../shared/configuration/variables.ts';
import { problemMeanings } from '../../shared/contract/tables/problem-meanings.ts';
import { wholeGlossary } from '../kit/catalog.ts';

/** What the pages of problems and magic values show. The bundler evaluates this module, as `data/catalog.ts`. */

const publicApis = (Object.values(apis) as readonly ApiDefinition[]).filter(({ audience }) => audience === 'public');

const meaningOf = (code: ProblemCode) => {
  const [cause, remedy] = problemMeanings[code];
  return { cause, remedy };
};

export const problems = Object.entries(codes).map(([code, { status, title, retryable }]) => ({
  code,
  status,
  title,
  retryable,
  ...meaningOf(code as ProblemCode),
  /** Every API may answer it. */
  common: (commonProblems as readonly string[]).includes(code),
  /** Names of the APIs that declare it. */
  apis: publicApis.filter((api) => (api.problems as readonly string[]).includes(code)).map(({ name }) => name),
}));
export type Problem = (typeof problems)[number];

export const magicValues = values;

/** The words of the glossary, with their meanings. */
export const glossary = wholeGlossary;

/** The variables that configure the estate. */
export const settings = Object.entries(variablesByName)
  // The variables of a swap are the same for each application.
  .filter(([name]) => !name.startsWith('SWAP_') || name.startsWith('SWAP_PAYMENT_HUB_'))
  .map(([name, schema]) => ({
    name,
    initial: String(presetOf(schema) ?? ''),
    meaning: schema.description ?? '',
  }));
