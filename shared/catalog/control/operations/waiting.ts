import { z } from 'zod';

export const TimeoutMs = z.int().min(0).max(120_000).default(10_000).describe('Wall time after which the operation answers in any case.');
export const WaitingFor = z
  .array(z.string())
  .describe('Unsent events, pending deliveries and due work that is still running. Empty when settled.');
