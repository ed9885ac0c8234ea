import type { ControlOperation } from '../../catalog/control/define-operation.ts';
import { controlOperations } from '../../catalog/control/operations.ts';
import { code, list, table } from './markdown.ts';
import { memberTable } from './schema-members.ts';

const operations = Object.values(controlOperations) as readonly ControlOperation[];

/** Every operation of the control plane: an overview, and a section with the members that it takes. */
export function controlOperationSections(): string {
  const overview = table(
    ['Operation', 'Method and path', 'What it does'],
    operations.map(({ id, method, path, summary }) => [`[${id}](#${id})`, code(`${method} ${path}`), summary]),
  );
  return [overview, ...operations.map(section)].join('\n\n');
}

function section(operation: ControlOperation): string {
  const { id, method, path, summary, status, problems, plays } = operation;
  const query = memberTable(operation.query);
  const body = method === 'GET' ? '' : memberTable(operation.request);
  return [
    `### ${id}`,
    code(`${method} ${path}`),
    summary,
    ...(plays === undefined ? [] : [`Verbs: ${list(plays.verbs.map(code))}.`]),
    ...(query === '' ? [] : ['Query:', query]),
    ...(body === '' ? [] : ['Body:', body]),
    `Answers with ${status}.${problems.length === 0 ? '' : ` Refuses with ${list(problems.map(linked))}.`}`,
  ].join('\n\n');
}

const linked = (problem: string): string => `[${code(problem)}](problems.md#${problem})`;
