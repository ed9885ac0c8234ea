import { z } from 'zod';

/** Begins the description of a field that the source document does not show. */
export const OURS = 'Ours (not in the source document):';

// Not multipleOf: validators that divide in binary floating point refuse 10.37 as a multiple of 0.01.
export const amount = z
  .number()
  .nonnegative()
  .refine((value) => Number(value.toFixed(2)) === value, 'has more than two decimals');

export const DIGEST = /^sha256:[0-9a-f]{64}$/;

export const echoedLane = z.string().describe('Echo of the request.');
export const echoedBasket = z.string().describe('Echo of the request; the identifier of the example when the request carries none.');
