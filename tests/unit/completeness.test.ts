import { test } from '@jest/globals';
import { registeredApplications } from '../../estate/registry.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { type ApiDefinition, isMutating, namesRehearsal } from '../../shared/catalog/define.ts';
import { events } from '../../shared/catalog/events.ts';
import { objectExamples } from '../../shared/catalog/examples.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { consumedBy } from '../../shared/catalog/subscriptions.ts';
import { apiOfVerb } from '../../shared/catalog/verb-apis.ts';
import { exampleOf } from '../../shared/contract/openapi/examples.ts';
import { requests } from '../flows/changing-requests.ts';
import { walks } from '../flows/life-cycle-walks.ts';
import { expectKept } from '../support/kept-list.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

/** The steps of CONTRIBUTING.md and of the guides in `docs/contributing` that the compiler does not check. */
const publicApis = Object.values(apis) as readonly ApiDefinition[];

const idOf = ({ id }: ApiDefinition): string => id;

const textsOf = (folders: RegExp): string =>
  trackedFiles
    .filter((file) => folders.test(file) && file.endsWith('.ts'))
    .map(textOf)
    .join('\n');
const callingTests = textsOf(/^tests\/(services|flows|gateway|support\/steps)\//);
const expectingTests = textsOf(/^(tests\/(services|flows|gateway)|rehearsal\/scenarios)\//);

test('Every declared public API is listed in the catalog (step 1)', () => {
  for (const domain of trackedFiles.flatMap((file) => /^shared\/catalog\/(\w+)\/apis\.ts$/.exec(file)?.[1] ?? [])) {
    const file = `shared/catalog/${domain}/apis.ts`;
    const declared = [...textOf(file).matchAll(/defineApi\(\{\s*id: '([\w-]+)'/g)].map(([, id = '']) => id);
    const listed = publicApis.map(({ id }) => id).filter((id) => textOf(file).includes(`'${id}'`));
    expectKept(`${file}, the list at its end, which shared/catalog/apis.ts includes`, listed, declared);
  }
});

test('Every declared business object is listed in the catalog', () => {
  const declared = trackedFiles
    .filter((file) => /^shared\/catalog\/\w+\/[\w-]+\.ts$/.test(file))
    .flatMap((file) => [...textOf(file).matchAll(/defineObject\(\{\s*type: '([\w-]+)'/g)].map(([, type = '']) => type));
  expectKept(
    'shared/catalog/objects.ts, `listed`',
    objects.map(({ type }) => type),
    declared,
  );
});

test('Every business object that has events has an example, which the documents of the events show', () =>
  expectKept(
    'shared/catalog/examples.ts, `objectExamples`',
    objectExamples.map(({ definition }) => definition.type),
    objects.filter(({ schema }) => 'version' in schema.shape).map(({ type }) => type),
  ));

test('Every public API is called by a test under tests/services, by its id or by the address of its document (step 4)', () => {
  const isCalled = (api: ApiDefinition): boolean =>
    callingTests.includes(namesRehearsal(api) ? `${api.path.split('{')[0]}` : `'${api.id}'`);
  expectKept('tests/services, calls of APIs', publicApis.filter(isCalled).map(idOf), publicApis.map(idOf));
});

test('Every public API that answers JSON has a recorded example', () => {
  const recorded = publicApis.filter(
    ({ id, produces, status }) => produces !== 'application/json' || status === 204 || exampleOf(id).response,
  );
  const place = 'tests/flows/recorded-examples.test.ts, calls in `callApis`, recorded with RECORD_EXAMPLES=true';
  expectKept(place, recorded.map(idOf), publicApis.map(idOf));
});

test('Every public API that changes state has two requests for the tests of repeats and of dry runs', () => {
  const needed = publicApis.filter((api) => isMutating(api) && api.auth !== 'signature');
  expectKept('tests/flows/changing-requests.ts, `requests`', Object.keys(requests), needed.map(idOf));
});

test('Every business object with a life cycle has walks to its states', () => {
  expectKept(
    'tests/flows/life-cycle-walks.ts, `walks`',
    Object.keys(walks),
    objects.flatMap(({ type, lifeCycle }) => (lifeCycle ? type : [])),
  );
});

test('Every event is expected by a test under tests/services or tests/flows', () => {
  const names = events.map(({ name }) => name);
  const expected = names.filter((name) => expectingTests.includes(`'${name}'`));
  expectKept('tests/services, expected events', expected, names);
});

test('Every subscription of an application has its handler, and every handler its subscription', () => {
  for (const { service } of registeredApplications) {
    const place = `services/${service.application}/service.ts, \`events\`, and the subscribers in shared/catalog/events.ts`;
    expectKept(
      place,
      Object.keys(service.events),
      consumedBy(service.application).map(({ name }) => name),
    );
  }
});

test('Every verb that moves an existing object, and whose trigger is a public API, names this API for explanations', () => {
  const needed = objects.flatMap(({ type, lifeCycle }) =>
    (lifeCycle?.rows ?? [])
      .filter(({ again, from }) => !again && from.some((state) => state !== null))
      .flatMap(({ verb, trigger }) =>
        publicApis.filter(({ name }) => trigger === name || trigger.startsWith(`${name},`)).map(() => `${type} × ${verb}`),
      ),
  );
  const kept = needed.filter((move) => apiOfVerb(...(move.split(' × ') as [string, string])));
  expectKept('shared/catalog/verb-apis.ts, `verbApis`', kept, needed);
});

test('Every application runs in the estate', () =>
  expectKept(
    'estate/registry.ts, `registeredApplications`',
    registeredApplications.map(({ service }) => service.application),
    applicationNames,
  ));

test('Every application has a README', () =>
  expectKept(
    'services/<application>/README.md',
    applicationNames.filter((application) => trackedFiles.includes(`services/${application}/README.md`)),
    applicationNames,
  ));
