import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

const templates = trackedFiles.filter((file) => /^\.github\/ISSUE_TEMPLATE\/(?!config).*\.yml$/.test(file));

interface Template {
  readonly name?: string;
  readonly description?: string;
  readonly body?: readonly { readonly type?: string; readonly id?: string; readonly attributes?: { readonly label?: string } }[];
}

describe('The workflow', () => {
  test('checks out the repository and runs .ci/run', () => {
    const { jobs } = parse(textOf('.github/workflows/ci.yml')) as { jobs: Record<string, { steps: readonly Record<string, string>[] }> };
    expect(Object.values(jobs).flatMap(({ steps }) => steps)).toEqual([{ uses: 'actions/checkout@v4' }, { run: '.ci/run' }]);
    expect(trackedFiles).toContain('.ci/run');
  });
});

describe('An issue template', () => {
  test.each(templates)('%s has a name, a description and fields with ids of their own', (file) => {
    const { name, description, body = [] } = parse(textOf(file)) as Template;
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    expect(body.length).toBeGreaterThan(0);
    expect(new Set(body.map(({ id }) => id)).size).toBe(body.length);
    expect(body.filter(({ type, attributes }) => type === undefined || attributes?.label === undefined)).toEqual([]);
  });
});

describe('The changelog', () => {
  test('has a section for the version of the package', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    expect(textOf('CHANGELOG.md')).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}( |$)`, 'm'));
  });
});
