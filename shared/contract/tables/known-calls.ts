import { apis } from '../../catalog/apis.ts';
import { type Application, applications } from '../../catalog/applications.ts';
import type { ApiDefinition } from '../../catalog/define.ts';
import { calls } from '../../catalog/flows.ts';
import { internalCalls } from '../../catalog/internal-calls.ts';

export const publicApis = Object.values(apis) as readonly ApiDefinition[];
export const internals = Object.values(internalCalls) as readonly ApiDefinition[];

const byId = new Map([...publicApis, ...internals].map((api) => [api.id, api]));

export const callById = (id: string): ApiDefinition | undefined => byId.get(id);

export const callsMadeBy = (application: Application): readonly ApiDefinition[] =>
  (calls[application] as readonly string[]).flatMap((id) => byId.get(id) ?? []);

export const titleOf = (application: Application): string => applications[application].title;

/** The name with a mark for an addition (‡) or for shapes of our choice (†). */
export function markedName({ name, addition, shapes }: ApiDefinition): string {
  if (addition) return `${name} ‡`;
  return shapes === 'our choice' ? `${name} †` : name;
}
