import { stringify } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { apis } from '../shared/catalog/apis.ts';
import { type Application, applicationNames, applications } from '../shared/catalog/applications.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { calls } from '../shared/catalog/flows.ts';
import { internalCalls } from '../shared/catalog/internal-calls.ts';

const OWNER = 'unified-commerce';
const { name: system, description } = manifest;
const all: readonly ApiDefinition[] = Object.values(apis);
const owners = new Map<string, Application>([...all, ...Object.values(internalCalls)].map(({ id, application }) => [id, application]));

const apiOf = (application: Application): string => `${application}-api`;

/** The operations of an application. The gateway serves the whole document, with bodies and examples, at `/openapi.json`. */
function definitionOf(application: Application): string {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { id, method, path, summary } of all.filter((api) => api.application === application)) {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    const operation = {
      operationId: id,
      summary,
      ...(parameters.length > 0 && { parameters }),
      responses: { default: { description: 'See /openapi.json of the gateway.' } },
    };
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return stringify(
    { openapi: '3.1.0', info: { title: applications[application].title, version: manifest.version }, paths },
    { lineWidth: 0 },
  );
}

const entity = (kind: string, metadata: object, spec: object) => ({
  apiVersion: 'backstage.io/v1alpha1',
  kind,
  metadata,
  spec: { owner: OWNER, ...spec },
});

/** The applications that an application calls, by the flows of the catalog. */
const calleesOf = (application: Application): readonly Application[] =>
  [...new Set(calls[application].flatMap((id) => owners.get(id) ?? []))].filter((callee) => callee !== application).toSorted();

/** The entities of Backstage: the system, its applications, and their APIs. Change the owner to a group of your catalog. */
export function catalogInfo(): string {
  const about = (application: Application) => ({
    title: applications[application].title,
    description: `Owns ${applications[application].owns}.`,
  });
  const entities = [
    entity('System', { name: system, description }, {}),
    ...applicationNames.map((application) => {
      const provided = all.some((api) => api.application === application);
      const dependsOn = calleesOf(application).map((callee) => `component:${callee}`);
      return entity(
        'Component',
        { name: application, ...about(application) },
        {
          type: 'service',
          lifecycle: 'production',
          system,
          ...(provided && { providesApis: [apiOf(application)] }),
          ...(dependsOn.length > 0 && { dependsOn }),
        },
      );
    }),
    ...applicationNames
      .filter((application) => all.some((api) => api.application === application))
      .map((application) =>
        entity(
          'API',
          { name: apiOf(application), ...about(application) },
          { type: 'openapi', lifecycle: 'production', system, definition: definitionOf(application) },
        ),
      ),
  ];
  return `# Written by npm run docs from shared/catalog.\n${entities.map((one) => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n')}`;
}
