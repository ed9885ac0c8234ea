import { z } from 'zod';
import { JSON_MEMBERS } from '../../domain/json-limits.ts';

/** Rows that change the initial data of a rehearsal, by the member of its file. `fixtures/files.ts` lists the members. */
export const OwnData = z.record(
  z.string(),
  z.union([z.array(z.unknown().meta({ type: 'object' })).max(JSON_MEMBERS), z.record(z.string(), z.unknown())]),
);
export type OwnData = Readonly<Record<string, readonly unknown[] | Readonly<Record<string, unknown>>>>;
