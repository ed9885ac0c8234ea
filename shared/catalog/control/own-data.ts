import { z } from 'zod';
import { JSON_MEMBERS } from '../../domain/json-limits.ts';

export type OwnData = Readonly<Record<string, readonly unknown[] | Readonly<Record<string, unknown>>>>;

/** Changes of the initial data of a rehearsal, by the member of its file: rows, or the object of the retailer. `fixtures/files.ts` lists them. */
export const OwnData: z.ZodType<OwnData, OwnData> = z
  .object({ retailer: z.record(z.string(), z.unknown()).optional().describe('Figures of the retailer.') })
  .catchall(z.array(z.unknown().meta({ type: 'object' })).max(JSON_MEMBERS)) as never;
