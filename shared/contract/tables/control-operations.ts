import type { ControlOperation } from '../../catalog/control/define-operation.ts';
import { controlOperations } from '../../catalog/control/operations.ts';
import { code, firstSentence, list } from './markdown.ts';

const operations = Object.values(controlOperations) as readonly ControlOperation[];

/** Every operation of the control plane in a sentence. The OpenAPI document has the rest. */
export function controlOperationSections(): string {
  return operations.map(section).join('\n\n');
}

function section({ id, method, path, summary, plays }: ControlOperation): string {
  const verbs = plays === undefined || plays.by !== undefined ? '' : ` Verbs: ${list(plays.verbs.map(code))}.`;
  return `### ${id}\n\n${code(`${method} ${path}`)}: ${firstSentence(summary)}${verbs}`;
}
