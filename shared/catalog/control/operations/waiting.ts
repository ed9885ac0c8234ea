import { z } from 'zod';

export const TimeoutMs = z.int().min(0).max(120_000).default(10_000).describe('Wall time limit, after which the operation always answers.');
export const WaitingFor = z.array(z.string()).describe('Unsent events, pending deliveries and running due work. Empty when settled.');
