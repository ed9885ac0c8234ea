import { type Request, type Response, Router } from 'express';
import { Problem, type ProblemCode, problems, problemType } from '../shared/catalog/problems.ts';
import { problemMeanings } from '../shared/contract/tables/problem-meanings.ts';
import { methodNotAllowed } from './problems.ts';

/** A problem for a program that followed the `type` of a refusal. Cause and remedy are Markdown. */
function describe(code: ProblemCode) {
  const { status, title, retryable } = problems[code];
  const [cause, remedy] = problemMeanings[code];
  return { type: problemType(code), code, status, title, retryable, cause, remedy };
}

const isCode = (text: string): text is ProblemCode => Object.hasOwn(problems, text);

/** What each problem means, under the address that its `type` names. Browsers get the console's page instead, where there is a console. */
export function createProblemDocuments(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const answer = (response: Response, body: object): void => void response.set({ Vary: 'Accept', 'Cache-Control': 'no-cache' }).json(body);
  router.get('/problems', (_request, response) => answer(response, { items: (Object.keys(problems) as ProblemCode[]).map(describe) }));
  router.get('/problems/:code', ({ params: { code } }: Request<{ code: string }>, response) => {
    if (!isCode(code)) throw new Problem('not_found', `There is no problem "${code}". GET /problems lists those that exist.`);
    answer(response, describe(code));
  });
  router.all(['/problems', '/problems/:code'], ({ method }) => {
    throw methodNotAllowed(method, ['GET', 'HEAD']);
  });
  return router;
}
