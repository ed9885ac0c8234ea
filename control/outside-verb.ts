import type { z } from 'zod';
import { Problem } from '../shared/catalog/problems.ts';

/** @throws Problem not_found that lists the verbs of the object */
export function parseVerb<T extends string>(verbs: z.ZodType<T> & { readonly options: readonly T[] }, sent: string, subject: string): T {
  const verb = verbs.safeParse(sent);
  if (verb.success) return verb.data;
  throw new Problem('not_found', `${subject} cannot be made to ${sent}; it can be made to ${verbs.options.join(', ')}.`);
}
