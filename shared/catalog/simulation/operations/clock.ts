import { z } from 'zod';
import { AnyInstant, exactlyOne, Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { Parked, Withheld } from './events.ts';
import { TimeoutMs, WaitingFor } from './waiting.ts';

const Ran = z.object({ application: z.string(), kind: z.string(), key: z.string(), at: Instant });

export const readClock = defineOperation({
  id: 'read-clock',
  summary: 'The rehearsal’s clock.',
  method: 'GET',
  path: '/_sim/clock',
  response: z.object({ now: Instant, flowing: z.boolean() }),
});

export const setClock = defineOperation({
  id: 'set-clock',
  summary: 'Lets time flow as the wall clock does, or stops it where it is.',
  method: 'PUT',
  path: '/_sim/clock',
  request: z.strictObject({ flowing: z.boolean() }),
  response: z.object({ now: Instant, flowing: z.boolean() }),
  problems: ['clock_busy'],
});

export const advanceClock = defineOperation({
  id: 'advance-clock',
  summary: 'Moves the clock forward and runs what falls due on the way, in order; answers when the estate is quiet.',
  method: 'POST',
  path: '/_sim/clock/advance',
  request: exactlyOne(
    z.strictObject({
      by: z.string().max(64).optional().meta({
        format: 'duration',
        description: 'ISO 8601 duration in weeks, days, hours, minutes and seconds: PT15M, P2D. At most 10 years.',
      }),
      to: AnyInstant.optional().describe('An instant, not before now, at most 10 years ahead and not after the year 9998.'),
      timeoutMs: TimeoutMs.default(60_000).describe(
        'Wall time for all of it. When it is over, the answer says what ran, where the clock stands and what it waits for.',
      ),
    }),
    ['by', 'to'],
  ),
  response: z.object({ now: Instant, ran: z.array(Ran), settled: z.boolean(), waitingFor: WaitingFor }),
  problems: ['clock_busy'],
});

export const settle = defineOperation({
  id: 'settle',
  summary: 'Waits until nothing is on its way: no unsent event, no pending delivery, no due work that still runs.',
  method: 'POST',
  path: '/_sim/settle',
  request: z.strictObject({ timeoutMs: TimeoutMs }),
  response: z.object({
    settled: z.boolean(),
    waitingFor: WaitingFor,
    parked: z.array(Parked).describe('What was given up. It can be driven again.'),
    withheld: z.array(Withheld).describe('What faults keep: owed, and not on its way. Deleting the fault lets it go.'),
  }),
});
