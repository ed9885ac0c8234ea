import { applicationNames, applications, domains } from '../../catalog/applications.ts';
import { events } from '../../catalog/events.ts';
import { problems } from '../../catalog/problems.ts';
import { markedName, publicApis, titleOf } from './known-calls.ts';
import { code, list, table } from './markdown.ts';

/** APIs in the source document. The catalog has those that work. */
export const DOCUMENTED_APIS = 43;
/** Events in the source document. */
export const DOCUMENTED_EVENTS = 16;

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
        markedName(api),
        code(`${api.method} ${api.path}`),
        api.type,
        titleOf(api.application),
        api.auth,
        list(api.emits.map(code)),
      ]),
  );
  const documented = publicApis.filter(({ addition }) => !addition).length;
  return [
    `${documented} of the ${DOCUMENTED_APIS} APIs of the source document. † The source document does not show its shapes; they are our choice. ‡ Our addition, not one of the ${DOCUMENTED_APIS}.`,
    '',
    table(['API', 'Method and path', 'Type', 'Application', 'Credential', 'Events'], rows),
  ].join('\n');
}

/** Every event of the source document, with its causes and subscribers. */
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
