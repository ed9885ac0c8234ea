import { expect, test } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { type ApiDefinition, namesRehearsal } from '../../shared/catalog/define.ts';
import { events } from '../../shared/catalog/events.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

/** Compares each step of "add an API" in CONTRIBUTING.md with the files. A failure names the missing steps. */
const files = new Set(trackedFiles);
const publicApis = Object.values(apis) as readonly ApiDefinition[];
const internals = Object.values(internalCalls) as readonly ApiDefinition[];
const apiReference = textOf('docs/reference/apis.md');
const document = estateOpenApi('0.0.0') as { paths: Record<string, Record<string, { operationId: string }>> };

const textsOf = (folders: RegExp): string =>
  trackedFiles
    .filter((file) => folders.test(file) && file.endsWith('.ts'))
    .map(textOf)
    .join('\n');
const callingTests = textsOf(/^tests\/(services|flows|gateway|support\/steps)\//);
const expectingTests = textsOf(/^(tests\/(services|flows|gateway)|rehearsal\/scenarios)\//);

const nameOf = ({ id }: ApiDefinition): string => id.replace(/-api$/, '');
const cased = (id: string): string => id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Whether a test calls an API by its id, or a document by its address. */
const isCalled = (api: ApiDefinition): boolean => callingTests.includes(namesRehearsal(api) ? '/labels/' : `'${api.id}'`);

/** The file of the application that imports a definition of the catalog, under any local name, and passes it to `handle`. */
function handlerOf({ application }: ApiDefinition, name: string): string | undefined {
  return trackedFiles.find((file) => {
    if (!file.startsWith(`services/${application}/`) || !file.endsWith('.ts')) return false;
    const local = new RegExp(`\\b${cased(name)}(?: as (\\w+))?[ ,}]`).exec(textOf(file));
    return local !== null && textOf(file).includes(`handle(${local[1] ?? cased(name)})`);
  });
}

function missingSteps(api: ApiDefinition): string[] {
  return [
    handlerOf(api, nameOf(api)) === undefined &&
      `step 2: bind a function with handle(${cased(nameOf(api))}) in services/${api.application}`,
    !isCalled(api) && `step 4: call ${api.id} in a test under tests/services`,
    document.paths[api.path]?.[api.method.toLowerCase()]?.operationId !== api.id && `step 5: describe ${api.id} in the OpenAPI document`,
    !apiReference.includes(`\`${api.method} ${api.path}\``) && 'step 5: run npm run docs, so that the reference lists it',
  ].filter((step) => step !== false);
}

test.each(publicApis.map((api) => [api.name, api] as const))('The public API %s lacks no step', (_name, api) =>
  expect(missingSteps(api)).toEqual([]),
);

test('Every declared public API is listed in the catalog (step 1)', () => {
  const declared = trackedFiles
    .filter((file) => /^shared\/catalog\/\w+\/apis\.ts$/.test(file))
    .flatMap((file) => [...textOf(file).matchAll(/defineApi\(\{\s*id: '([\w-]+)'/g)].map(([, id = '']) => id));
  expect(declared.toSorted()).toEqual(publicApis.map(({ id }) => id).toSorted());
});

test.each(internals.map((api) => [api.name, api] as const))('The call between services %s has a handler', (_name, api) =>
  expect(handlerOf(api, api.id) === undefined ? `missing: handle(${cased(api.id)}) in services/${api.application}` : '').toBe(''),
);

test.each(events.map(({ name }) => name))('The event %s is expected by a test', (name) =>
  expect(expectingTests.includes(`'${name}'`) ? name : `no test under tests/services or tests/flows expects ${name}`).toBe(name),
);

test.each(applicationNames)('The application %s has a service.ts and a README.md', (application) =>
  expect(['service.ts', 'README.md'].filter((file) => !files.has(`services/${application}/${file}`))).toEqual([]),
);
