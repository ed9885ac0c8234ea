import { applicationNames } from '../../catalog/applications.ts';
import { type FlowDefinition, flows } from '../../catalog/flows.ts';
import { callById, callsMadeBy, titleOf } from './known-calls.ts';
import { list, mermaidId, table } from './markdown.ts';

/** Every flow: a sequence diagram of the happy path, and its behaviour on failure. */
export function flowSections(): string {
  return flows.map(flowSection).join('\n\n');
}

function flowSection({ number, title, participants: [caller, callee], steps, onFailure }: FlowDefinition): string {
  const involved = [...new Set(steps.flatMap(({ from, to }) => [from, to]))];
  return [
    `## Flow ${number}: ${title}`,
    '',
    `${titleOf(caller)} → ${titleOf(callee)}`,
    '',
    '```mermaid',
    'sequenceDiagram',
    ...involved.map((name) => `  participant ${mermaidId(name)} as ${name === 'client' ? 'Client' : titleOf(name)}`),
    ...steps.map(({ from, to, call }) => `  ${mermaidId(from)}->>${mermaidId(to)}: ${callById(call)?.name ?? call}`),
    '```',
    '',
    `**On failure.** ${onFailure}`,
  ].join('\n');
}

/** Who calls whom: one row per caller and callee. */
export function callMatrix(): string {
  const rows = applicationNames.flatMap((caller) =>
    [...Map.groupBy(callsMadeBy(caller), ({ application }) => application)].map(([callee, of]) => [
      titleOf(caller),
      titleOf(callee),
      list(of.map(({ name }) => name)),
    ]),
  );
  return table(['Caller', 'Callee', 'Calls'], rows);
}
