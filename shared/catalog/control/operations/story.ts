import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';

export const readStory = defineOperation({
  id: 'read-story',
  memory: 'large',
  summary:
    'Writes what people and clients did in a rehearsal as a scenario in TypeScript. The scenario repeats it, and expects the same outcomes.',
  path: '/_control/story',
  response: z.object({ text: z.string().describe('A file for rehearse. Credentials are not in it.') }),
  problems: ['not_recordable'],
});

export const storyOperations = [readStory] as const;
