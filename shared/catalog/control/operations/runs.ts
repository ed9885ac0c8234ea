import { z } from 'zod';
import { Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { RUN_STATES } from '../run-states.ts';
import { Invariant } from './verification.ts';

export const Scenario = z.object({
  name: z.string(),
  title: z.string(),
  flows: z.array(z.int()).describe('Numbers of the documented flows that the scenario follows or disturbs.'),
  pains: z.array(z.string()).describe('Troubles that the scenario shows.'),
});

export const RunStep = z.object({
  number: z.int(),
  at: Instant.describe('Wall time.'),
  kind: z.enum(['step', 'note', 'check']).describe('check: a check of a real system.'),
  title: z.string(),
  outcome: z.enum(['passed', 'failed', 'not checked', 'not offered']).optional().describe('Of a check.'),
  obligation: z.enum(['must', 'may']).optional().describe('Of the call that is checked: must, if other applications make it.'),
  detail: z.string().optional().describe('Of a check that has not passed.'),
  call: z.string().optional(),
  application: z.string().optional(),
  api: z.string().optional(),
  status: z.int().optional(),
  ms: z.number().optional(),
  events: z.array(z.string()).optional(),
  correlationId: z.string().optional().describe('Correlation id of the step’s trace.'),
});

export const Run = z.object({
  id: z.string(),
  scenario: z.string(),
  title: z.string(),
  system: z
    .object({ application: z.string(), url: z.string() })
    .optional()
    .describe('The real system that the run checks, in place of a scenario.'),
  rehearsal: z.string().optional().describe('The rehearsal of the run. Absent until the run has begun.'),
  world: z.string().optional().describe('The world of this rehearsal. After a reset the rehearsal has another one.'),
  state: z.enum(RUN_STATES),
  startedAt: Instant.describe('Wall time of its start or, while it waits, of its request.'),
  endedAt: Instant.optional().describe('Wall time.'),
  steps: z.array(RunStep),
  invariants: z.array(Invariant),
  failure: z.string().optional(),
});

export const listScenarios = defineOperation({
  id: 'list-scenarios',
  summary: 'Lists the scenarios that can be run.',
  path: '/_control/scenarios',
  reach: 'estate',
  response: z.object({ items: z.array(Scenario) }),
});

export const startRun = defineOperation({
  id: 'start-run',
  summary:
    'Runs a scenario in a new rehearsal, which is kept for inspection. Two scenarios run at a time; others wait. The latest 40 runs are kept.',
  method: 'POST',
  path: '/_control/runs',
  reach: 'estate',
  request: z.strictObject({ scenario: z.string().max(80).describe('Name of a scenario, as listed.') }),
  response: Run,
  status: 202,
  problems: ['not_found', 'rate_limited'],
});

export const listRuns = defineOperation({
  id: 'list-runs',
  summary: 'Lists the latest runs, newest first, without their steps.',
  path: '/_control/runs',
  reach: 'estate',
  response: z.object({ items: z.array(Run.omit({ steps: true, invariants: true })) }),
});

export const readRun = defineOperation({
  id: 'read-run',
  summary: 'Reads a run: its steps so far and, once it has ended, the invariants.',
  path: '/_control/runs/{id}',
  reach: 'estate',
  response: Run,
  problems: ['not_found'],
});

export const deleteRun = defineOperation({
  id: 'delete-run',
  summary:
    'Stops a waiting or running run, or removes an ended run from the list. Deletes its rehearsal, unless it was reset or created again.',
  method: 'DELETE',
  path: '/_control/runs/{id}',
  reach: 'estate',
  query: z.strictObject({
    ended: z
      .enum(['remove', 'keep'])
      .default('remove')
      .describe(
        'Treatment of a run that has ended. `keep` leaves the run and its rehearsal in place, so that the operation only stops runs.',
      ),
  }),
  response: z.null(),
  status: 204,
  problems: ['not_found'],
});

export const runsOperations = [listScenarios, startRun, listRuns, readRun, deleteRun] as const;
