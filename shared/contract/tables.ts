import { apis } from '../catalog/apis.ts';
import { type Application, applicationNames, applications, domains, topicOf } from '../catalog/applications.ts';
import type { ApiDefinition } from '../catalog/define.ts';
import type { EventDefinition, ObjectDefinition } from '../catalog/define-object.ts';
import { events } from '../catalog/events.ts';
import { calls, type FlowDefinition, flows } from '../catalog/flows.ts';
import { internalCalls } from '../catalog/internal-calls.ts';
import type { LifeCycle } from '../catalog/life-cycle.ts';
import { objects } from '../catalog/objects.ts';
import { problems } from '../catalog/problems.ts';
import { consumedBy } from '../catalog/subscriptions.ts';

/** The catalog as Markdown: the tables and diagrams that stand in the documentation between markers. */

/** How many APIs the source document lists; the catalog has those that work. */
export const DOCUMENTED_APIS = 43;
/** How many events the source document lists. */
export const DOCUMENTED_EVENTS = 16;

const publicApis = Object.values(apis) as readonly ApiDefinition[];
const internals = Object.values(internalCalls) as readonly ApiDefinition[];
const byId = new Map([...publicApis, ...internals].map((api) => [api.id, api]));

const titleOf = (application: Application): string => applications[application].title;
const code = (text: string): string => `\`${text}\``;
const list = (texts: readonly string[]): string => (texts.length === 0 ? '–' : texts.join(', '));
const mark = ({ addition, shapes }: ApiDefinition): string => (addition ? ' ‡' : shapes === 'our choice' ? ' †' : '');
const named = (api: ApiDefinition): string => `${api.name}${mark(api)}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function applicationTable(): string {
  const rows = applicationNames.map((name) => [
    `[${titleOf(name)}](services/${name}/README.md)`,
    code(name),
    applications[name].owns,
    String(publicApis.filter(({ application }) => application === name).length),
  ]);
  return table(['Application', 'Name in the code', 'Owns', 'APIs'], rows);
}

/** Every public API, domain by domain. */
export function apiTable(): string {
  const rows = domains.flatMap((domain) =>
    publicApis
      .filter((api) => api.domain === domain)
      .map((api) => [
        named(api),
        code(`${api.method} ${api.path}`),
        api.type,
        titleOf(api.application),
        api.auth,
        list(api.emits.map(code)),
      ]),
  );
  return [
    `${publicApis.filter(({ addition }) => !addition).length} of the ${DOCUMENTED_APIS} APIs of the source document. † its shapes are our choice, since the source document does not show them. ‡ an addition of ours, not one of the ${DOCUMENTED_APIS}.`,
    '',
    table(['API', 'Method and path', 'Type', 'Application', 'Credential', 'Events'], rows),
  ].join('\n');
}

/** Every event of the source document that this version emits, with those who listen. */
export function eventTable(): string {
  const rows = events.map((event) => [
    code(event.name),
    code(event.object),
    event.classification,
    event.meaning,
    list(publicApis.filter(({ emits }) => emits.includes(event.name)).map(({ name }) => name)),
    list(event.subscribers?.map(({ application, purpose }) => `${titleOf(application)}: ${purpose}`) ?? []),
  ]);
  return [
    `${events.length} of the ${DOCUMENTED_EVENTS} events of the source document.`,
    '',
    table(['Event', 'Object', 'Kind', 'Meaning', 'Caused by', 'Subscribers'], rows),
  ].join('\n');
}

export function problemTable(): string {
  const rows = Object.entries(problems).map(([name, { status, title, retryable }]) => [
    String(status),
    code(name),
    title,
    retryable ? 'yes' : 'no',
  ]);
  return table(['Status', '`code`', 'Title', 'Same request may succeed later'], rows);
}

/** What one application answers, emits and hears. */
export function applicationSummary(application: Application): string {
  const own = publicApis.filter((api) => api.application === application);
  const inside = internals.filter((api) => api.application === application);
  const owned = objects.filter(({ owner }) => owner === application);
  const emitted = events.filter(({ object }) => owned.some(({ type }) => type === object));
  return [
    table(
      ['API', 'Method and path', 'Answers with', 'Refuses with, besides the common problems'],
      own.map((api) => [named(api), code(`${api.method} ${api.path}`), String(api.status), list(api.problems.map(code))]),
    ),
    section('Calls from inside the estate', inside, ['Call', 'Method and path', 'Callers'], (api) => [
      api.name,
      code(`${api.method} ${api.path}`),
      list(api.callers.map(titleOf)),
    ]),
    section('Events', emitted, ['Emits', 'On topic', 'Meaning'], (event) => [code(event.name), code(topicFor(event)), event.meaning]),
    section('Listens to', consumedBy(application), ['Hears', 'Mode', 'Purpose'], (event) => {
      const subscription = event.subscribers?.find((candidate) => candidate.application === application);
      return [code(event.name), subscription?.mode ?? '', subscription?.purpose ?? ''];
    }),
    section('Calls of other applications', calledBy(application), ['Application', 'Call', 'Method and path'], (api) => [
      titleOf(api.application),
      api.name,
      code(`${api.method} ${api.path}`),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function section<T>(title: string, items: readonly T[], head: readonly string[], row: (item: T) => readonly string[]): string {
  return items.length === 0 ? '' : `### ${title}\n\n${table(head, items.map(row))}`;
}

const calledBy = (application: Application): readonly ApiDefinition[] =>
  (calls[application] as readonly string[]).flatMap((id) => byId.get(id) ?? []);

function topicFor(event: EventDefinition): string {
  const object = objects.find(({ type }) => type === event.object);
  return object ? topicOf(object.domain) : '';
}

/** Every life cycle: a Mermaid diagram of its moves, and its rows as a table. */
export function lifeCycles(): string {
  return objects
    .flatMap((object) => (object.lifeCycle && object.lifeCycle.rows.length > 0 ? [lifeCycleSection(object, object.lifeCycle)] : []))
    .join('\n\n');
}

function lifeCycleSection(object: ObjectDefinition, lifeCycle: LifeCycle): string {
  const rows = lifeCycle.rows.map((row) => [
    row.verb,
    list(row.from.map((state) => state ?? '(new)')),
    row.again ? 'stays, nothing happens' : row.to.length === 0 ? 'stays' : row.to.join(', '),
    row.again ? '–' : list((row.events.length > 0 ? row.events : [`ext.${object.type}-changed`]).map(code)),
    row.trigger,
  ]);
  const unreached = lifeCycle.states.filter((state) => !lifeCycle.rows.some(({ to }) => to.includes(state)));
  return [
    `## ${object.type}`,
    '',
    `${object.meaning}. Owned by the ${titleOf(object.owner)}.`,
    ...(unreached.length > 0 ? ['', `Listed, and reached by no row of this version: ${unreached.join(', ')}.`] : []),
    '',
    '```mermaid',
    ...stateDiagram(lifeCycle),
    '```',
    '',
    table(['Verb', 'From', 'To', 'Event', 'What causes it'], rows),
  ].join('\n');
}

/** State names have hyphens, which Mermaid's ids may not have. */
const idOf = (state: string): string => state.replaceAll('-', '_');

function stateDiagram({ rows }: LifeCycle): string[] {
  const moves = rows
    .filter(({ again }) => !again)
    .flatMap(({ verb, from, to }) =>
      from.flatMap((state) => (to.length === 0 ? [state] : to).map((next) => ({ verb, from: state, to: next }))),
    );
  const drawn = new Set(moves.flatMap(({ from, to }) => [from, to]).filter((state) => state !== null));
  return [
    'stateDiagram-v2',
    ...[...drawn].filter((state) => state.includes('-')).map((state) => `  state "${state}" as ${idOf(state)}`),
    ...[...Map.groupBy(moves, ({ from, to }) => `${from === null ? '[*]' : idOf(from)} --> ${to === null ? '[*]' : idOf(to)}`)].map(
      ([arrow, same]) => `  ${arrow} : ${[...new Set(same.map(({ verb }) => verb))].join(', ')}`,
    ),
  ];
}

/** Every flow: a sequence diagram of the good case, and what happens otherwise. */
export function flowSections(): string {
  return flows.map(flowSection).join('\n\n');
}

function flowSection({ number, title, participants: [caller, callee], steps, onFailure }: FlowDefinition): string {
  const taking = [...new Set(steps.flatMap(({ from, to }) => [from, to]))];
  return [
    `## Flow ${number}: ${title}`,
    '',
    `${titleOf(caller)} → ${titleOf(callee)}`,
    '',
    '```mermaid',
    'sequenceDiagram',
    ...taking.map((name) => `  participant ${idOf(name)} as ${name === 'client' ? 'Client' : titleOf(name)}`),
    ...steps.map(({ from, to, call }) => `  ${idOf(from)}->>${idOf(to)}: ${byId.get(call)?.name ?? call}`),
    '```',
    '',
    `**When it goes wrong.** ${onFailure}`,
  ].join('\n');
}

/** Who calls whom: one row per caller and callee. */
export function callMatrix(): string {
  const rows = applicationNames.flatMap((caller) =>
    [...Map.groupBy(calledBy(caller), ({ application }) => application)].map(([callee, of]) => [
      titleOf(caller),
      titleOf(callee),
      list(of.map(({ name }) => name)),
    ]),
  );
  return table(['Caller', 'Callee', 'Calls'], rows);
}
