import { z } from 'zod';
import { JSON_MEMBERS } from '../../domain/json-limits.ts';

const Rows = z.array(z.unknown()).max(JSON_MEMBERS);
const Figures = z.record(z.string(), z.unknown());

/** Changes of the initial data of a rehearsal, by the member of its file: rows, or the object of the retailer. `fixtures/files.ts` lists them. */
export const OwnData = z.record(z.string(), z.unknown()).superRefine((data, context) => {
  for (const [member, rows] of Object.entries(data)) {
    const { error } = (member === 'retailer' ? Figures : Rows).safeParse(rows);
    // Without a message, the words of the outer parse apply.
    for (const issue of error?.issues ?? [])
      context.addIssue({ ...issue, message: undefined, input: rows, path: [member, ...issue.path] } as never);
  }
});
export type OwnData = Readonly<Record<string, unknown>>;
