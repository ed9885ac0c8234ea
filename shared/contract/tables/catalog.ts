import { apis } from '../../catalog/apis.ts';
import { type Application, applicationNames, applications, topicOf } from '../../catalog/applications.ts';
import type { ApiDefinition } from '../../catalog/define.ts';
import type { EventDefinition, ObjectDefinition } from '../../catalog/define-object.ts';
import { changeEvents, events } from '../../catalog/events.ts';
import { calls, type FlowDefinition, flows } from '../../catalog/flows.ts';
import { internalCalls } from '../../catalog/internal-calls.ts';
import type { LifeCycle } from '../../catalog/life-cycle.ts';
import { objects } from '../../catalog/objects.ts';
import { declineCodes } from '../../catalog/payment/objects.ts';
import { type ProblemCode, problems, retryableAtTimes } from '../../catalog/problems.ts';
import { consumedBy } from '../../catalog/subscriptions.ts';
import { code, list, mermaidId, table } from './markdown.ts';
import { problemMeanings } from './problem-meanings.ts';

/** APIs in the source document. The catalog has those that work. */
const DOCUMENTED_APIS = 43;

/** Every public API, application by application. */
export function apiTable(): string {
  const documented = publicApis.filter(({ addition }) => !addition).length;
  return [
    `${documented} of the ${DOCUMENTED_APIS} APIs of the source document. † The source document does not show its shapes; they are our choice. ‡ Our addition, not one of the ${DOCUMENTED_APIS}.`,
    ...applicationNames.flatMap((name) => {
      const answered = publicApis.filter(({ application }) => application === name);
      const lines = answered.map((api) => `- ${markedName(api)}: ${code(`${api.method} ${api.path}`)}, ${code(api.id)}`);
      const link = `[${titleOf(name)}](../../services/${name}/README.md)`;
      return [`**${link}** (${code(name)}) owns ${applications[name].owns}.`, lines.join('\n')];
    }),
    `Every API takes a bearer token, except ${credentialText()}.`,
  ].join('\n\n');
}

/** The credentials other than a bearer token, with the APIs that take them. */
function credentialText(): string {
  const byCredential = Map.groupBy(
    publicApis.filter(({ auth }) => auth !== 'bearer'),
    ({ auth }) => auth,
  );
  return [...byCredential].map(([auth, of]) => `${list(of.map(({ name }) => name))} (${auth})`).join('; ');
}

/** What an application answers, owns, emits and consumes, and whom it calls. */
export function applicationSummary(application: Application): string {
  const answered = publicApis.filter((api) => api.application === application);
  const internal = internals.filter((api) => api.application === application);
  const owned = objects.filter(({ owner }) => owner === application);
  const withStates = owned.filter(({ lifeCycle }) => lifeCycle !== undefined && lifeCycle.rows.length > 0);
  const emitted = events.filter(({ object }) => owned.some(({ type }) => type === object));
  const callees = [...new Set(callsMadeBy(application).map((api) => titleOf(api.application)))];
  const rows: readonly (readonly [string, string])[] = [
    ['[APIs](../../docs/reference/apis.md#public-apis)', list(answered.map(markedName))],
    [
      'Internal calls (callers)',
      list(internal.map(({ name, callers }) => (callers.length === 0 ? name : `${name} (${list(callers.map(titleOf))})`))),
    ],
    [
      '[Life cycles](../../docs/reference/life-cycles.md)',
      list(withStates.map(({ type }) => `[${type}](../../docs/reference/life-cycles.md#${type})`)),
    ],
    ['[Emits](../../docs/reference/events.md)', list(emitted.map(({ name }) => code(name)))],
    ['Consumes', list(consumedBy(application).map(({ name }) => code(name)))],
    ['[Applications that it calls](../../docs/reference/flows.md#who-calls-whom)', list(callees)],
  ];
  const filled = rows.filter(([, text]) => text !== list([]));
  return table(['', ''], filled);
}

/** Every flow: a sequence diagram of the happy path. */
export function flowSections(): string {
  return flows.map(flowSection).join('\n\n');
}

function flowSection({ number, title, participants: [caller, callee], steps }: FlowDefinition): string {
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
  ].join('\n');
}

/** The calls between applications: one line per caller. */
export function callMatrix(): string {
  return applicationNames
    .flatMap((caller) => {
      const callees = [...Map.groupBy(callsMadeBy(caller), ({ application }) => application)];
      const texts = callees.map(([callee, of]) => `the ${titleOf(callee)}: ${list([...new Set(of.map(({ name }) => name))])}`);
      return texts.length === 0 ? [] : [`- **${titleOf(caller)}** calls ${texts.join('; ')}.`];
    })
    .join('\n');
}

const publicApis = Object.values(apis) as readonly ApiDefinition[];
const internals = Object.values(internalCalls) as readonly ApiDefinition[];

const byId = new Map([...publicApis, ...internals].map((api) => [api.id, api]));

const callById = (id: string): ApiDefinition | undefined => byId.get(id);

const callsMadeBy = (application: Application): readonly ApiDefinition[] => calls[application].flatMap((id) => byId.get(id) ?? []);

const titleOf = (application: Application): string => applications[application].title;

/** The name with a mark for an addition (‡) or for shapes of our choice (†). */
function markedName({ name, addition, shapes }: ApiDefinition): string {
  if (addition) return `${name} ‡`;
  return shapes === 'our choice' ? `${name} †` : name;
}

/** Every life cycle: its rows as a table. */
export function lifeCycles(): string {
  return objects
    .flatMap((object) => (object.lifeCycle && object.lifeCycle.rows.length > 0 ? [lifeCycleSection(object, object.lifeCycle)] : []))
    .join('\n\n');
}

function lifeCycleSection(object: ObjectDefinition, lifeCycle: LifeCycle): string {
  const repeats = lifeCycle.rows.filter(({ again }) => again);
  const moves = lifeCycle.rows
    .filter(({ again }) => !again)
    .map(({ verb, from, to, trigger, events: named }) => {
      const target = to.length === 0 ? '' : ` → ${to.join(', ')}`;
      const emitted = named.length === 0 ? '' : `, ${list(named.map(code))}`;
      return `- **${verb}** ${list(from.map((state) => state ?? '(new)'))}${target}: ${trigger}${emitted}`;
    });
  const repeated = [...Map.groupBy(repeats, ({ verb }) => verb)].map(([verb, of]) => {
    const states = [...new Set(of.flatMap(({ from }) => from.map((state) => state ?? 'new')))];
    return `${verb} (${states.length === lifeCycle.states.length ? 'every state' : list(states)})`;
  });
  const unreached = lifeCycle.states.filter((state) => !lifeCycle.rows.some(({ to }) => to.includes(state)));
  return [
    `## ${object.type}`,
    `${object.meaning}. Owned by the ${titleOf(object.owner)}.`,
    ...(unreached.length > 0 ? [`No verb leads to ${unreached.join(', ')}: only the initial data has such objects.`] : []),
    moves.join('\n'),
    ...(repeated.length > 0 ? [`Repeats: ${repeated.join('; ')}.`] : []),
  ].join('\n\n');
}

/** Events in the source document. */
const DOCUMENTED_EVENTS = 16;
const ADDED_EVENT = `‡ Our addition, not one of the ${DOCUMENTED_EVENTS}.`;

/** Every event that a life cycle names: its object, its meaning and its causes. */
export function eventTable(): string {
  const added = events.filter(({ addition }) => addition);
  const lines = events.map((event) => {
    const causes = publicApis.filter(({ emits }) => emits.includes(event.name)).map(({ name }) => name);
    const cause = causes.length === 0 ? '' : `. Caused by ${list(causes)}`;
    return `- ${code(event.name)}${event.addition ? ' ‡' : ''} (${event.object}): ${event.meaning}${cause}.`;
  });
  return [
    `${events.length - added.length} of the ${DOCUMENTED_EVENTS} events of the source document.${added.length > 0 ? ` ${ADDED_EVENT}` : ''}`,
    '',
    lines.join('\n'),
  ].join('\n');
}

/** The additional events, one per object that changes. */
export function changeEventTable(): string {
  const topics = [...Map.groupBy(changeEvents, topicOfEvent)];
  return topics.map(([topic, of]) => `- ${code(topic)}: ${list(of.map(({ name }) => code(name)))}`).join('\n');
}

function topicOfEvent(event: EventDefinition): string {
  const object = objects.find(({ type }) => type === event.object);
  return object ? topicOf(object.domain) : '';
}

const all = Object.entries(problems) as [ProblemCode, { status: number; title: string; retryable: boolean }][];

/** Whether the same request may succeed later. */
const repeatable = (name: ProblemCode, retryable: boolean): string =>
  retryable ? ', retryable' : retryableAtTimes.has(name) ? ', retryable at times' : '';

/** One section per problem, with the code as its anchor. */
export function problemSections(): string {
  return all
    .map(([name, { status, retryable }]) => {
      const [cause, remedy] = problemMeanings[name];
      const reasons = name === 'payment_declined' ? [declineCodeTable()] : [];
      return [`### ${name}`, `${status}${repeatable(name, retryable)}. ${cause} *${remedy}*`, ...reasons].join('\n\n');
    })
    .join('\n\n');
}

function declineCodeTable(): string {
  const rows = Object.entries(declineCodes).map(([name, meaning]) => [code(name), meaning]);
  return table(['`declineCode`', 'Meaning'], rows);
}
