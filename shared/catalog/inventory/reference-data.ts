import { z } from 'zod';
import { Address, Id } from '../shapes.ts';
import { TimeZone } from '../time-zone.ts';

/** A place that holds stock. The first location by `priority` that can serve a line serves it. */
export const Location = z
  .strictObject({
    id: Id,
    type: z.enum(['warehouse', 'store']),
    name: z.string().min(1),
    priority: z.int().min(1).describe('1 is tried first.'),
    address: Address,
    timeZone: TimeZone.optional().describe('Decides the day in receipts of a store. Default: the time zone of the retailer.'),
  })
  .meta({ id: 'Location' });
export type Location = z.output<typeof Location>;
