import { z } from 'zod';
import { isTimeZone } from '../domain/local-day.ts';

export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'This must be a time zone of the IANA database, such as Europe/Dublin.')
  .meta({ id: 'TimeZone', description: 'Time zone of the IANA database.', example: 'Europe/Dublin' });
