import { defineOperation } from '../define-operation.ts';
import { Progression, ProgressionInput } from '../progression.ts';

export const readProgression = defineOperation({
  id: 'read-progression',
  summary: 'Reads which steps of the rehearsal are automatic.',
  path: '/_control/progression',
  response: Progression,
});

export const setProgression = defineOperation({
  id: 'set-progression',
  summary:
    'Sets which steps of the rehearsal are automatic. Omitted members keep their value. warehouse, carrier and returns apply to open orders, parcels and returns, too. route, label, capture and refund apply to those that reach the step afterwards.',
  method: 'PUT',
  path: '/_control/progression',
  request: ProgressionInput,
  response: Progression,
});

export const progressionOperations = [readProgression, setProgression] as const;
