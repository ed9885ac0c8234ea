import { defineOperation } from '../define-operation.ts';
import { Progression, ProgressionInput } from '../progression.ts';

export const readProgression = defineOperation({
  id: 'read-progression',
  summary: 'Reads which steps this rehearsal takes by itself.',
  method: 'GET',
  path: '/_control/progression',
  response: Progression,
});

export const setProgression = defineOperation({
  id: 'set-progression',
  summary:
    'Sets which steps the rehearsal takes by itself. Members that are left out keep their value. Open orders, parcels and returns follow warehouse, carrier and returns at once; route, label, capture and refund count for what reaches the step afterwards.',
  method: 'PUT',
  path: '/_control/progression',
  request: ProgressionInput,
  response: Progression,
});
