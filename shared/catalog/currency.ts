import { z } from 'zod';
import { isCurrency } from '../domain/money.ts';

export const Currency = z
  .string()
  .refine(isCurrency, {
    error: 'This must be a currency of ISO 4217 with 0, 2 or 3 decimals, such as EUR, JPY or BHD.',
    params: { code: 'unsupported_currency' },
  })
  .meta({
    id: 'Currency',
    pattern: '^[A-Z]{3}$',
    description:
      'ISO 4217. A rehearsal has one currency: the currency of its retailer, EUR by default. Another one in a request is refused.',
    example: 'EUR',
  });
