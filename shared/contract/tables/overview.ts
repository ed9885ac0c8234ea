import { applicationNames, applications, domains } from '../../catalog/applications.ts';
import { markedName, publicApis, titleOf } from './known-calls.ts';
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
