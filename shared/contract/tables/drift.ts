import { apis } from '../../catalog/apis.ts';
import { type ChangeName, forbiddenChanges, permittedChanges } from '../../catalog/control/drift.ts';
import type { ApiDefinition } from '../../catalog/define.ts';
import { allEvents } from '../../catalog/events.ts';
import { changesOfApi, changesOfEvent } from '../drift/drift.ts';
import { code, table } from './markdown.ts';

const numberOf = (found: readonly (readonly ChangeName[])[], name: ChangeName): string => {
  const count = found.filter((names) => names.includes(name)).length;
  return count === 0 ? '' : String(count);
};

/** The changes of a kind: what a client gets, and how many APIs and events can have it. */
export function changeTable(kind: 'permitted' | 'forbidden'): string {
  const ofApis = Object.values<ApiDefinition>(apis).map(changesOfApi);
  const ofEvents = allEvents.map(changesOfEvent);
  const changes = Object.entries(kind === 'permitted' ? permittedChanges : forbiddenChanges) as [ChangeName, { effect: string }][];
  return table(
    [code('change'), 'What clients get', 'APIs', 'Events'],
    changes.map(([name, { effect }]) => [code(name), effect, numberOf(ofApis, name), numberOf(ofEvents, name)]),
  );
}
