import { defineOperation } from '../define-operation.ts';
import { Progression, ProgressionInput } from '../progression.ts';

export const readProgression = defineOperation({
  id: 'read-progression',
  summary: 'What moves by itself in this rehearsal.',
  method: 'GET',
  path: '/_sim/progression',
  response: Progression,
});

export const setProgression = defineOperation({
  id: 'set-progression',
  summary: 'Sets what moves by itself; what is left out stays as it is. Parcels and orders that are on their way follow at once.',
  method: 'PUT',
  path: '/_sim/progression',
  request: ProgressionInput,
  response: Progression,
});
