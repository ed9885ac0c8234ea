import type { ParsedUrlQuery } from 'node:querystring';
import { z } from 'zod';
import { type ApiDefinition, changesSomething } from '../catalog/define.ts';
import { validationFailed } from './validation.ts';

/** The query parameter for a dry run of every API that may change the world. */
export const DRY_RUN = 'dryRun';

/** Media type of the answer to a dry run. It differs from the answers of the APIs, so that generated clients do not mix them up. */
export const DRY_RUN_TYPE = 'application/vnd.estate.dry-run+json';

/** The answer to a dry run that nothing has refused. A refusal is answered as in the real call. */
export const DryRun = z
  .strictObject({
    possible: z.literal(true).describe('Nothing refuses the call yet. What it begins at other applications, or later, may still fail.'),
    status: z.int().optional().describe('The status of the answer that would follow, if the application can compute it.'),
    answer: z.unknown().optional().describe('The body of that answer. New ids in it are examples.'),
    foreseen: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Instead of the answer: members of it that are certain, such as the difference in price of a change that moves the goods.'),
    unchanged: z.literal(true).optional().describe('The call would change nothing: it is a repeat, or there is nothing to change.'),
  })
  .meta({ id: 'DryRun' });
export type DryRun = z.output<typeof DryRun>;

/** Whether a request is a dry run. The query is refused for any other value of the parameter. */
export const requestsDryRun = (api: ApiDefinition, { [DRY_RUN]: asked }: ParsedUrlQuery): boolean =>
  asked === 'true' && changesSomething(api);

/**
 * The query without the parameter.
 * @throws Problem `validation_failed` for another value than `true` or `false`, and for an API without a dry run
 */
export function withoutDryRun(api: ApiDefinition, query: unknown): unknown {
  const { [DRY_RUN]: asked, ...others } = query as ParsedUrlQuery;
  if (asked === undefined) return query;
  if (!changesSomething(api)) throw refused('not_changing', `${api.name} changes nothing, so it has no dry run. Leave dryRun out.`);
  if (asked === 'true' || asked === 'false') return others;
  throw refused('invalid_value', 'dryRun must be true or false, and may be sent once.');
}

const refused = (code: string, detail: string) => validationFailed([{ pointer: `?${DRY_RUN}`, code, detail }]);
