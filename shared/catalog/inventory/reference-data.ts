import { z } from 'zod';
import { Address, Id } from '../shapes.ts';
import { TimeZone } from '../time-zone.ts';
import { ClosedDay, OpeningHours, type StoreHours } from './opening-hours.ts';

export const Position = z
  .strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
  .meta({ id: 'Position', description: 'A place on the earth, in degrees.' });

/** A place that holds stock. The first location by `priority` that can serve a line serves it. */
export const Location = z
  .strictObject({
    id: Id,
    type: z.enum(['warehouse', 'store']),
    name: z.string().min(1),
    priority: z.int().min(1).describe('1 is tried first.'),
    address: Address,
    timeZone: TimeZone.optional().describe(
      'Decides the day in receipts of a store, and its opening hours. Default: the time zone of the retailer.',
    ),
    position: Position.optional().describe('Sorts the stores near a customer.'),
    collection: z
      .boolean()
      .optional()
      .describe('Whether customers may collect orders in the store. It then needs opening hours. Default: false.'),
    openingHours: OpeningHours.optional().describe('Opening hours of a store. A weekday that is left out is closed.'),
    closedDays: z.array(ClosedDay).max(366).optional().describe('Days when the store is closed.'),
  })
  .meta({ id: 'Location' });
export type Location = z.output<typeof Location>;

/** The opening hours of a store where customers collect orders; undefined for other locations. */
export function collectionHoursOf(
  { collection, openingHours, closedDays = [], timeZone }: Pick<Location, 'collection' | 'openingHours' | 'closedDays' | 'timeZone'>,
  retailer: { readonly timeZone: string },
): StoreHours | undefined {
  return collection && openingHours ? { openingHours, closedDays, timeZone: timeZone ?? retailer.timeZone } : undefined;
}
