import { z } from 'zod';
import { JSON_MEMBERS } from '../../domain/json-limits.ts';

const Members = z.record(z.string(), z.unknown());

/** Changes of the initial data of a rehearsal, by the member of its file: rows, or the object of the retailer. `fixtures/files.ts` lists them. */
export const OwnData = z
  .record(z.string(), z.union([z.array(z.unknown().meta({ type: 'object' })).max(JSON_MEMBERS), Members]))
  .superRefine((data, context) => {
    for (const [member, rows] of Object.entries(data)) {
      if (member === 'retailer' || Array.isArray(rows)) continue;
      context.addIssue({ code: 'invalid_type', expected: 'array', input: rows, path: [member] });
    }
  });
export type OwnData = z.input<typeof OwnData>;
