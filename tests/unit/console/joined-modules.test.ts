import { describe, expect, test } from '@jest/globals';
import { importFromJoined, joinModules } from '../../../console/joined-modules.ts';

const load = (source: string) => import(`data:text/javascript,${encodeURIComponent(source)}`) as Promise<Record<string, unknown>>;

describe('Joined modules', () => {
  test('export what each of them exports, and keep their private names apart', async () => {
    const joined = joinModules([
      {
        specifier: './cents.ts',
        source: "import { inspect as text } from 'node:util';\nconst unit = 'cents';\nexport const cents = (n) => text(n) + unit;",
      },
      {
        specifier: './price.ts',
        source: 'import {\n  cents as inCents,\n} from "./cents.ts";\nconst unit = 1;\nexport function price() { return inCents(unit); }',
      },
      {
        specifier: './sale.ts',
        source: "import { price } from './price.ts';\nexport async function sale() { return price(); }\nexport class Till {}",
      },
    ]);
    const { sale, ...others } = await load(joined);
    expect(await (sale as () => Promise<string>)()).toBe('1cents');
    expect(Object.keys(others).sort()).toEqual(['Till', 'cents', 'price']);
  });

  test.each(['export default 1;', "import * as price from './price.ts';", "export { price } from './price.ts';", 'export let price = 1;'])(
    'refuse a statement that they do not understand: %s',
    (statement) => {
      expect(() => joinModules([{ specifier: './sale.ts', source: statement }])).toThrow(
        `./sale.ts cannot be joined with other modules: ${statement}`,
      );
    },
  );

  test('refuse a name that two of them export', () => {
    const source = 'export const price = 1;';
    expect(() => joinModules(['./price.ts', './sale.ts'].map((specifier) => ({ specifier, source })))).toThrow(
      './sale.ts and ./price.ts both export price.',
    );
  });

  test('are what another module imports in place of them', () => {
    const source = "import { h } from 'preact';\nimport { price } from './price.ts';\nimport { map } from './map.ts';";
    expect(importFromJoined(source, new Set(['./price.ts']), './first-page.ts')).toBe(
      "import { h } from 'preact';\nimport { price } from './first-page.ts';\nimport { map } from './map.ts';",
    );
  });
});
