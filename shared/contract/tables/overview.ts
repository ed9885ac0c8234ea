import { type Application, applicationNames, applications, domains } from '../../catalog/applications.ts';
import { events } from '../../catalog/events.ts';
import { objects } from '../../catalog/objects.ts';
import { consumedBy } from '../../catalog/subscriptions.ts';
import { callsMadeBy, internals, markedName, publicApis, titleOf } from './known-calls.ts';
import { code, list, table } from './markdown.ts';

/** APIs in the source document. The catalog has those that work. */
const DOCUMENTED_APIS = 43;

export function applicationTable(): string {
  const rows = applicationNames.map((name) => [
    `[${titleOf(name)}](../../services/${name}/README.md)`,
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
        code(api.id),
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
    table(['API', 'Method and path', 'Id', 'Type', 'Application', 'Credential', 'Events'], rows),
  ].join('\n');
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
    ['[It calls](../../docs/reference/flows.md#who-calls-whom)', list(callees)],
  ];
  return table(
    ['', ''],
    rows.filter(([, text]) => text !== list([])),
  );
}
