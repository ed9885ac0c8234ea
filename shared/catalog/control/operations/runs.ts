import { z } from 'zod';
import { Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { Invariant } from './verification.ts';

export const Scenario = z.object({
  name: z.string(),
  title: z.string(),
  flows: z.array(z.int()).describe('Numbers of the documented flows that it follows or disturbs.'),
  pains: z.array(z.string()).describe('What goes wrong in it.'),
});

export const RunStep = z.object({
  number: z.int(),
  at: Instant.describe('Wall time.'),
  kind: z.enum(['step', 'note']),
  title: z.string(),
  call: z.string().optional(),
  application: z.string().optional(),
  api: z.string().optional(),
  status: z.int().optional(),
  ms: z.number().optional(),
  events: z.array(z.string()).optional(),
  correlationId: z.string().optional().describe('Names the trace of the step.'),
});

export const Run = z.object({
  id: z.string(),
  scenario: z.string(),
  title: z.string(),
  rehearsal: z.string().optional().describe('Where it runs. Absent until it has begun.'),
  state: z.enum(['waiting', 'running', 'passed', 'failed', 'stopped']),
  startedAt: Instant.describe('Wall time. While it waits: when it was asked for.'),
  endedAt: Instant.optional().describe('Wall time.'),
  steps: z.array(RunStep),
  invariants: z.array(Invariant),
  failure: z.string().optional(),
});

export const listScenarios = defineOperation({
  id: 'list-scenarios',
  summary: 'Lists the scenarios that can be run.',
  method: 'GET',
  path: '/_control/scenarios',
  response: z.object({ items: z.array(Scenario) }),
});

export const startRun = defineOperation({
  id: 'start-run',
  summary:
    'Runs a scenario in a rehearsal of its own, which is kept for inspection. Two run at a time, others wait. The latest 20 are kept.',
  method: 'POST',
  path: '/_control/runs',
  request: z.strictObject({ scenario: z.string().max(80).describe('Name of a scenario, as listed.') }),
  response: Run,
  status: 202,
  problems: ['not_found'],
});

export const listRuns = defineOperation({
  id: 'list-runs',
  summary: 'Lists the latest runs, newest first, without their steps.',
  method: 'GET',
  path: '/_control/runs',
  response: z.object({ items: z.array(Run.omit({ steps: true, invariants: true })) }),
});

export const readRun = defineOperation({
  id: 'read-run',
  summary: 'Reads a run: its steps so far, and the invariants at its end.',
  method: 'GET',
  path: '/_control/runs/{id}',
  response: Run,
  problems: ['not_found'],
});

export const deleteRun = defineOperation({
  id: 'delete-run',
  summary: 'Stops a run that waits or runs; removes one that has ended from the list. Deletes its rehearsal.',
  method: 'DELETE',
  path: '/_control/runs/{id}',
  query: z.strictObject({
    ended: z
      .enum(['remove', 'keep'])
      .default('remove')
      .describe('What becomes of a run that has ended: keep leaves it and its rehearsal, so that the operation only stops.'),
  }),
  response: z.null(),
  status: 204,
  problems: ['not_found'],
});
