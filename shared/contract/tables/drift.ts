import { type ChangeName, forbiddenChanges, permittedChanges } from '../../catalog/control/drift.ts';
import { code } from './markdown.ts';

/** The changes of a kind, with what a client gets. */
export function changeTable(kind: 'permitted' | 'forbidden'): string {
  const changes = Object.entries(kind === 'permitted' ? permittedChanges : forbiddenChanges) as [ChangeName, { effect: string }][];
  return changes.map(([name, { effect }]) => `- ${code(name)}: ${effect}`).join('\n');
}
