import { expect, test } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { type ApiDefinition, namesRehearsal } from '../../shared/catalog/define.ts';
import { events } from '../../shared/catalog/events.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

/** The steps of "add an API" in CONTRIBUTING.md that the compiler does not check. */
const publicApis = Object.values(apis) as readonly ApiDefinition[];

const textsOf = (folders: RegExp): string =>
  trackedFiles
    .filter((file) => folders.test(file) && file.endsWith('.ts'))
    .map(textOf)
    .join('\n');
const callingTests = textsOf(/^tests\/(services|flows|gateway|support\/steps)\//);
const expectingTests = textsOf(/^(tests\/(services|flows|gateway)|rehearsal\/scenarios)\//);

test('Every declared public API is listed in the catalog (step 1)', () => {
  const declared = trackedFiles
    .filter((file) => /^shared\/catalog\/\w+\/apis\.ts$/.test(file))
    .flatMap((file) => [...textOf(file).matchAll(/defineApi\(\{\s*id: '([\w-]+)'/g)].map(([, id = '']) => id));
  expect(declared.toSorted()).toEqual(publicApis.map(({ id }) => id).toSorted());
});

test('Every public API is called by a test under tests/services, by its id or by the address of its document (step 4)', () => {
  const isCalled = (api: ApiDefinition): boolean => callingTests.includes(namesRehearsal(api) ? '/labels/' : `'${api.id}'`);
  expect(publicApis.filter((api) => !isCalled(api)).map(({ id }) => id)).toEqual([]);
});

test('Every event is expected by a test under tests/services or tests/flows', () =>
  expect(events.map(({ name }) => name).filter((name) => !expectingTests.includes(`'${name}'`))).toEqual([]));

test('Every application has a README', () =>
  expect(applicationNames.filter((application) => !trackedFiles.includes(`services/${application}/README.md`))).toEqual([]));
