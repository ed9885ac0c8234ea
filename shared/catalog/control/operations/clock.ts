import { z } from 'zod';
import { AnyInstant, exactlyOne, Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { Parked, Withheld } from './events.ts';
import { TimeoutMs, WaitingFor } from './waiting.ts';

const Ran = z.object({ application: z.string(), kind: z.string(), key: z.string(), at: Instant });

export const readClock = defineOperation({
  id: 'read-clock',
  summary: 'Reads the clock of the rehearsal.',
  method: 'GET',
  path: '/_control/clock',
  response: z.object({ now: Instant, flowing: z.boolean().describe('false freezes the clock.') }),
});

export const setClock = defineOperation({
  id: 'set-clock',
  summary: 'Lets time flow at the pace of the wall clock, or stops it.',
  method: 'PUT',
  path: '/_control/clock',
  request: z.strictObject({ flowing: z.boolean() }),
  response: z.object({ now: Instant, flowing: z.boolean() }),
  problems: ['clock_busy'],
});

export const advanceClock = defineOperation({
  id: 'advance-clock',
  summary: 'Moves the clock forward and runs the work that falls due on the way, in order. Answers when the estate is quiet.',
  method: 'POST',
  path: '/_control/clock/advance',
  request: exactlyOne(
    z.strictObject({
      by: z.string().max(64).optional().meta({
        format: 'duration',
        description: 'ISO 8601 duration in weeks, days, hours, minutes and seconds: PT15M, P2D. At most 10 years.',
      }),
      to: AnyInstant.optional().describe('An instant, not before now, at most 10 years ahead and not after the year 9998.'),
      timeoutMs: TimeoutMs.default(60_000).describe(
        'Wall time for the whole advance. Then the answer has the work that has ended, the instant of the clock, and what the advance waits for. Work that is running ends by itself, and only the journal has it.',
      ),
    }),
    ['by', 'to'],
  ),
  response: z.object({
    now: Instant,
    ran: z
      .array(Ran)
      .describe(
        'Due work that ended. Work that failed is tried again by the clock, and is parked in the end: the journal has each attempt.',
      ),
    settled: z.boolean(),
    waitingFor: WaitingFor,
  }),
  problems: ['clock_busy'],
});

export const settle = defineOperation({
  id: 'settle',
  summary:
    'Waits until the rehearsal is quiet: no unsent event, no pending delivery, no running due work. Requests of clients that still run do not count.',
  method: 'POST',
  path: '/_control/settle',
  request: z.strictObject({ timeoutMs: TimeoutMs }),
  response: z.object({
    settled: z.boolean(),
    waitingFor: WaitingFor,
    parked: z
      .array(Parked)
      .describe(
        'Work that was refused too often, or whose application was away for a week. It can be redriven; work of the second kind is taken up when its application is back.',
      ),
    withheld: z.array(Withheld).describe('Events and webhooks that faults withhold. Deleting the fault releases them.'),
  }),
});
