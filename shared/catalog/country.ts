import { z } from 'zod';
import { COUNTRY_CODES, countryMeant, countryName } from '../domain/countries.ts';

export const Country = z
  .string()
  .max(80)
  .superRefine((given, context): void => {
    if (COUNTRY_CODES.has(given)) return;
    const meant = countryMeant(given);
    const remedy = meant === undefined ? 'such as IE' : `such as ${meant} for ${countryName(meant)}`;
    const message = `This must be a country of ISO 3166-1, ${remedy}.`;
    context.issues.push({ code: 'custom', input: given, message, params: { code: 'unknown_country' } });
  })
  .meta({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' });
