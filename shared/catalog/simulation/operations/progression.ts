import { defineOperation } from '../define-operation.ts';
import { Progression, ProgressionInput } from '../progression.ts';

export const readProgression = defineOperation({
  id: 'read-progression',
  summary: 'Reads which steps this rehearsal takes by itself.',
  method: 'GET',
  path: '/_sim/progression',
  response: Progression,
});

export const setProgression = defineOperation({
  id: 'set-progression',
  summary:
    'Sets which steps the rehearsal takes by itself. Members that are left out keep their value. Open orders and parcels follow at once.',
  method: 'PUT',
  path: '/_sim/progression',
  request: ProgressionInput,
  response: Progression,
});
