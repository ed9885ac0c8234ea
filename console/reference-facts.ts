import { apis } from '../shared/catalog/apis.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { magicValues } from '../shared/catalog/magic-values.ts';
import { commonProblems, type ProblemCode, problems } from '../shared/catalog/problems.ts';
import { problemMeanings } from '../shared/contract/tables/problem-meanings.ts';

const publicApis = (Object.values(apis) as readonly ApiDefinition[]).filter(({ audience }) => audience === 'public');

const meaningOf = (code: ProblemCode) => {
  const [cause, remedy] = problemMeanings[code];
  return { cause, remedy };
};

/** What the pages of problems and magic values show. */
export const referenceFacts = () => ({
  problems: Object.entries(problems).map(([code, { status, title, retryable }]) => ({
    code,
    status,
    title,
    retryable,
    ...meaningOf(code as ProblemCode),
    /** Every API may answer it. */
    common: (commonProblems as readonly string[]).includes(code),
    /** Names of the APIs that declare it. */
    apis: publicApis.filter((api) => (api.problems as readonly string[]).includes(code)).map(({ name }) => name),
  })),
  values: magicValues,
});
export type ReferenceFacts = ReturnType<typeof referenceFacts>;
