import { z } from 'zod';
import { JSON_MEMBERS } from '../../domain/json-limits.ts';

/** Rows that change the initial data of a rehearsal, by the member of its file. `fixtures/files.ts` lists the members. */
export const OwnData = z.record(z.string(), z.array(z.unknown().meta({ type: 'object' })).max(JSON_MEMBERS));
export type OwnData = Readonly<Record<string, readonly unknown[]>>;
