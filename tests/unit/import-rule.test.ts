import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
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

const imports = trackedFiles.filter((file) => file.endsWith('.ts')).flatMap(importsOf);
const own = imports.filter(({ isPackage }) => !isPackage);

const serviceOf = (path: string): string | undefined => /^services\/([^/]+)\//.exec(path)?.[1];
/** What stands directly in services/ puts the estate together, and may therefore import everything. */
const isComposition = (path: string): boolean => /^services\/[^/]+\.ts$/.test(path);

/** A zone of the repository and where its imports may lead, besides into itself. */
const zones: readonly { readonly zone: string; readonly may: readonly string[] }[] = [
  { zone: 'shared/catalog/', may: ['shared/domain/'] },
  { zone: 'shared/domain/', may: ['shared/catalog/'] },
  { zone: 'shared/', may: [] },
  { zone: 'fixtures/', may: ['shared/'] },
  { zone: 'gateway/control/', may: ['shared/', 'fixtures/'] },
  { zone: 'gateway/', may: ['shared/', 'fixtures/'] },
  { zone: 'rehearsal/', may: ['shared/', 'fixtures/'] },
  { zone: 'testcontainers/', may: ['rehearsal/', 'shared/', 'fixtures/'] },
  { zone: 'docs/', may: ['shared/', 'services/touchpoint-mock/', 'services/configuration.ts'] },
];

const zoneOf = (path: string) => zones.find(({ zone }) => path.startsWith(zone));
const shown = ({ file, target }: Import): string => `${file} imports ${target}`;

describe('The import rule', () => {
  test('is held against the imports that there are', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(own.length).toBeGreaterThan(100);
  });

  test('every import of our own files leads to a file', () => {
    const files = new Set(trackedFiles);
    expect(own.filter(({ target }) => !files.has(target)).map(shown)).toEqual([]);
  });

  test('a service imports itself, shared and fixtures, and never another service', () => {
    const breaking = own.filter(({ file, target }) => {
      const service = serviceOf(file);
      if (service === undefined || isComposition(file)) return false;
      return serviceOf(target) !== service && !target.startsWith('shared/') && !target.startsWith('fixtures/');
    });
    expect(breaking.map(shown)).toEqual([]);
  });

  test.each(zones)('$zone imports itself and $may, and nothing else of ours', ({ zone, may }) => {
    const breaking = own.filter(
      ({ file, target }) => zoneOf(file)?.zone === zone && !inside(target, zone) && !may.some((other) => target.startsWith(other)),
    );
    expect(breaking.map(shown)).toEqual([]);
  });

  test('the catalog and the domain import no package that reads, writes or listens', () => {
    const pure = ['zod', 'ulid', 'tinyduration', 'canonicalize', 'node:crypto'];
    const breaking = imports.filter(
      ({ file, target, isPackage }) => /^shared\/(catalog|domain)\//.test(file) && isPackage && !pure.includes(target),
    );
    expect(breaking.map(shown)).toEqual([]);
  });

  test('tests are imported by tests alone', () => {
    expect(own.filter(({ file, target }) => target.startsWith('tests/') && !file.startsWith('tests/')).map(shown)).toEqual([]);
  });
});

/** gateway/control/ is no part of gateway/, nor is shared/catalog/ of shared/domain/; all of shared is shared. */
function inside(target: string, zone: string): boolean {
  return zone === 'shared/' ? target.startsWith(zone) : zoneOf(target)?.zone === zone;
}
