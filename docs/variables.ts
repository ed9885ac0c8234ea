import { urlVariable, variablesByName } from '../estate/variables.ts';
import { applicationNames } from '../shared/catalog/applications.ts';

const AMONG_THEM = ['oms', 'ecommerce-platform'] as const;

/** A value as text of the environment. */
const written = (value: unknown): string => (value === undefined || String(value) === '' ? '' : `\`${String(value)}\``);

/** Every variable that a process reads, with its default. The addresses of applications share a row. */
export function variableTable(): string {
  const urls = new Set(applicationNames.map(urlVariable));
  const rows = Object.entries(variablesByName).flatMap(([name, schema]) =>
    urls.has(name) ? [] : [`| \`${name}\` | ${written(schema.safeParse(undefined).data)} | ${schema.description} |`],
  );
  const examples = AMONG_THEM.map((application) => `\`${urlVariable(application)}\``).join(', ');
  rows.push(`| ${examples}, … | \`http://<application>:8080\` | The addresses of the other applications. |`);
  return ['| Variable | Default | What |', '|---|---|---|', ...rows].join('\n');
}
