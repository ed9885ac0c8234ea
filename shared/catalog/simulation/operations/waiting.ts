import { z } from 'zod';

export const TimeoutMs = z
  .int()
  .min(0)
  .max(120_000)
  .default(10_000)
  .describe('Wall time after which the answer says what it still waits for.');
export const WaitingFor = z
  .array(z.string())
  .describe('Empty when settled: unsent events, pending deliveries and due work that still run.');
