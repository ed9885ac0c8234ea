import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

interface Import {
  readonly file: string;
  /** Path from the root of the repository, or the name of a package. */
  readonly target: string;
  readonly isPackage: boolean;
}

const SPECIFIER = /\b(?:from|import)\s*\(?\s*'([^']+)'/g;

const importsOf = (file: string): Import[] =>
  [...textOf(file).matchAll(SPECIFIER)].map(([, specifier = '']) =>
    specifier.startsWith('.')
      ? { file, target: join(dirname(file), specifier), isPackage: false }
      : { file, target: specifier, isPackage: true },
  );

const imports = trackedFiles.filter((file) => /\.tsx?$/.test(file)).flatMap(importsOf);
const own = imports.filter(({ isPackage }) => !isPackage);

const services = new Set(trackedFiles.flatMap((file) => /^services\/[^/]+\//.exec(file)?.[0] ?? []));
/** This mock does not belong to the applications of the estate. */
const MOCK = 'services/touchpoint-mock/';
/** The floors of shared: imports, types included, go down only; folders on one floor do not import each other. */
const floors: readonly (readonly string[])[] = [
  ['domain'],
  ['catalog', 'process'],
  ['contract', 'store'],
  ['http', 'observability', 'control'],
  ['configuration', 'events', 'transport'],
  ['work'],
  ['elsewhere', 'handlers', 'runtime'],
];

/** The floors of the OMS, above its shared files. */
const omsFloors: readonly (readonly string[])[] = [
  ['lines.ts', 'baskets.ts', 'pending-action.ts', 'replaced-units.ts', 'given-prices.ts', 'order-numbers.ts', 'lost-goods.ts'],
  ['payments.ts', 'given.ts'],
  ['return-bookings.ts', 'change-terms.ts'],
  ['exchange.ts', 'compensation.ts'],
  ['payout.ts', 'order-view.ts', 'late-refunds.ts'],
  ['cancellation.ts', 'carry-out.ts', 'lost-authorizations.ts', 'order-list.ts', 'returns.ts'],
  ['fulfillment.ts'],
  ['routing.ts', 'capture.ts'],
  ['short-lines.ts', 'confirmation.ts', 'replacements.ts', 'changes.ts'],
  ['creation.ts'],
];
const OMS_SHARES = ['collections.ts', 'due-work.ts'].map((file) => `services/oms/${file}`);

/** A zone for each folder or file of a floor, which may import the floors below it. */
const zonesOf = (root: string, rooms: readonly (readonly string[])[], shares: readonly string[] = []) => {
  const paths = rooms.map((names) => names.map((name) => (name.endsWith('.ts') ? `${root}${name}` : `${root}${name}/`)));
  return paths.flatMap((zone, floor) => zone.map((one) => ({ zone: one, may: [...shares, ...paths.slice(0, floor).flat()] })));
};

/** Modules of shared, none of them an adapter, that a service may use. */
const HANDLERS_KNOW = [
  'shared/domain/',
  'shared/catalog/',
  'shared/control/',
  'shared/work/',
  'shared/handlers/',
  'shared/store/collections.ts',
  'shared/store/ports/due-work.ts',
];
/** Modules that pages import. */
const IN_BROWSERS = [
  'rehearsal/event-stream.ts',
  'rehearsal/harden/matrix.ts',
  'rehearsal/harden/run.ts',
  'rehearsal/harden/run-schema.ts',
  'rehearsal/harden/words.ts',
  'shared/catalog/control/drift.ts',
  'shared/catalog/control/invariants.ts',
  'shared/catalog/control/run-states.ts',
  'shared/catalog/event-names.ts',
  'shared/catalog/fulfillment/counter.ts',
  'shared/catalog/nearby.ts',
  'shared/catalog/payment/cover.ts',
  'shared/control/sequence.ts',
  'shared/domain/censor.ts',
  'shared/domain/money.ts',
  'shared/domain/printable.ts',
  'shared/domain/retry-after.ts',
  'shared/domain/text.ts',
  'shared/transport/path.ts',
];
const ADAPTERS = ['shared/store/memory/', 'shared/store/redis/', 'shared/events/kafka/'];

/** A zone of the repository, and the other targets of its imports. */
const zones: readonly { readonly zone: string; readonly may: readonly string[] }[] = [
  ...zonesOf('shared/', floors),
  ...zonesOf('services/oms/', omsFloors, [...HANDLERS_KNOW, ...OMS_SHARES]),
  ...[...services].map((zone) => ({ zone, may: [zone, 'fixtures/', ...(zone === MOCK ? ['shared/'] : HANDLERS_KNOW)] })),
  { zone: 'fixtures/', may: ['shared/'] },
  { zone: 'control/', may: ['shared/', 'fixtures/'] },
  { zone: 'gateway/', may: ['shared/', 'fixtures/'] },
  { zone: 'ui/', may: ['shared/', 'rehearsal/', 'services/touchpoint-mock/portal-description.ts'] },
  { zone: 'console/', may: ['shared/', 'ui/'] },
  { zone: 'rehearsal/', may: ['shared/', 'fixtures/', 'package.json'] },
  { zone: 'agents/', may: ['shared/', 'rehearsal/'] },
  { zone: 'command-line/', may: ['shared/', 'rehearsal/', 'agents/', 'ui/', 'estate/', 'console/drawings.ts', 'package.json'] },
  { zone: 'testcontainers/', may: ['rehearsal/', 'shared/', 'fixtures/'] },
  {
    zone: 'docs/',
    may: ['command-line/', 'rehearsal/public.ts', 'shared/', 'services/touchpoint-mock/', 'helm/chart.ts', 'package.json'],
  },
  { zone: 'helm/', may: ['shared/', 'package.json'] },
];

const zoneOf = (path: string) => zones.find(({ zone }) => path.startsWith(zone));
const shown = ({ file, target }: Import): string => `${file} imports ${target}`;

test('The import rule is checked against all imports', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(own.length).toBeGreaterThan(100);
});

test('Every import of a project file resolves', () => {
  const files = new Set(trackedFiles);
  expect(own.filter(({ target }) => !files.has(target)).map(shown)).toEqual([]);
});

test('No files import each other in a circle, types included', () => expect(circles(own)).toEqual([]));

test('Every folder of shared has a floor', () => {
  const folders = trackedFiles.flatMap((file) => /^shared\/([^/]+)\//.exec(file)?.[1] ?? []);
  expect([...new Set(folders)].sort()).toEqual(floors.flat().sort());
});

test('Every file of the OMS has a floor', () => {
  const files = trackedFiles.filter((file) => /^services\/oms\/.*\.ts$/.test(file) && file !== 'services/oms/service.ts');
  expect(files.sort()).toEqual([...OMS_SHARES, ...omsFloors.flat().map((file) => `services/oms/${file}`)].sort());
});

test('Adapters of store and bus are chosen in estate/infrastructure.ts, and otherwise only by tests and benchmarks', () => {
  const isAdapter = (path: string): boolean => ADAPTERS.some((folder) => path.startsWith(folder));
  const breaking = own.filter(
    ({ file, target }) => isAdapter(target) && !isAdapter(file) && !/^(tests|bench)\//.test(file) && file !== 'estate/infrastructure.ts',
  );
  expect(breaking.map(shown)).toEqual([]);
});

test.each(zones)('$zone imports only itself and $may of the project', ({ zone, may }) => {
  const breaking = own.filter(
    ({ file, target }) => zoneOf(file)?.zone === zone && !inside(target, zone) && !may.some((other) => target.startsWith(other)),
  );
  expect(breaking.map(shown)).toEqual([]);
});

test('An estate loads no code for real systems at its start, except that the control plane reads their records', () => {
  const loads = (file: string): string[] =>
    [...textOf(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)';/gm)].map(([, target = '']) =>
      join(dirname(file), target),
    );
  const loaded = new Set(['estate/estate.ts', 'estate/application-alone.ts', 'estate/gateway-alone.ts']);
  for (const file of loaded) for (const target of loads(file)) if (/\.tsx?$/.test(target)) loaded.add(target);
  expect(loaded.size).toBeGreaterThan(300);
  expect([...loaded].filter((file) => file.startsWith('shared/elsewhere/')).sort()).toEqual([
    'shared/elsewhere/shadow/stored-fidelity.ts',
    'shared/elsewhere/swap/echoed-headers.ts',
    'shared/elsewhere/swap/json-texts.ts',
    'shared/elsewhere/swap/kept-answers.ts',
    'shared/elsewhere/swap/stored-swap.ts',
  ]);
});

/** Modules that load much more than an estate uses when they are imported, and the file with the part that it uses. */
const DEAR: readonly (readonly [module: string, instead: string])[] = [
  ['node:http', 'shared/process/node-http.ts'],
  ['undici', 'shared/process/http-client.ts'],
  ['prom-client', 'shared/observability/observability.ts'],
];

test.each(DEAR)('No process of the estate imports the whole of %s, because a part is in %s', (module) => {
  const statement = new RegExp(`^import (?!type )[^;]*? from '${module}';`, 'm');
  const ofProcesses = trackedFiles.filter((file) => /^(agents|console|control|estate|gateway|services|shared)\/.*\.ts$/.test(file));
  expect(ofProcesses.length).toBeGreaterThan(300);
  expect(ofProcesses.filter((file) => statement.test(textOf(file)))).toEqual([]);
});

test('The catalog and the domain import no package that reads, writes or listens', () => {
  const pure = ['zod', 'ulid', 'tinyduration', 'fflate', 'node:buffer', 'node:crypto'];
  const breaking = imports.filter(
    ({ file, target, isPackage }) => /^shared\/(catalog|domain)\//.test(file) && isPackage && !pure.includes(target),
  );
  expect(breaking.map(shown)).toEqual([]);
});

test('A page imports values of other folders only in a catalog.ts, which the bundler evaluates, and from modules that a browser can run', () => {
  const pages = trackedFiles.filter((file) => /^ui\/.*(?<!\/catalog)\.tsx?$/.test(file));
  const breaking = pages.flatMap((file) =>
    [
      ...textOf(file).matchAll(/^import (?!type )[^;]*?from '((?:\.\.\/)+(?:shared|console|estate|rehearsal)\/[^']+|node:[^']+)';/gms),
    ].flatMap(([, target = '']) => (IN_BROWSERS.some((module) => target.endsWith(module)) ? [] : `${file} imports ${target}`)),
  );
  expect(pages.length).toBeGreaterThan(10);
  expect(breaking).toEqual([]);
});

test('Only tests import tests', () =>
  expect(own.filter(({ file, target }) => target.startsWith('tests/') && !file.startsWith('tests/')).map(shown)).toEqual([]));

const inside = (target: string, zone: string): boolean => zoneOf(target)?.zone === zone;

function circles(edges: readonly Import[]): string[][] {
  const targets = Map.groupBy(edges, ({ file }) => file);
  const reached = (from: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = [from];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      for (const { target } of targets.get(file) ?? []) {
        if (found.has(target)) continue;
        found.add(target);
        open.push(target);
      }
    }
    return found;
  };
  const inCircle = [...targets.keys()].filter((file) => reached(file).has(file));
  const groups = Map.groupBy(inCircle, (file) => inCircle.filter((other) => reached(file).has(other) && reached(other).has(file)).join());
  return [...groups.values()];
}
