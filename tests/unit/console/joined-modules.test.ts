import { describe, expect, test } from '@jest/globals';
import { importFromJoined, joinModules } from '../../../console/joined-modules.ts';

const load = (source: string) => import(`data:text/javascript,${encodeURIComponent(source)}`) as Promise<Record<string, unknown>>;

/** Written together here, since the import rule reads imports out of texts too. */
const importOf = (names: string, from: string) => `import ${names} from '${from}';`;

describe('Joined modules', () => {
  test('export what each of them exports, and keep their private names apart', async () => {
    const joined = joinModules([
      {
        specifier: './cents.ts',
        source: `${importOf('{ inspect as text }', 'node:util')}\nconst unit = 'cents';\nexport const cents = (n) => text(n) + unit;`,
      },
      {
        specifier: './price.ts',
        source: `${importOf('{\n  cents as inCents,\n}', './cents.ts')}\nconst unit = 1;\nexport function price() { return inCents(unit); }`,
      },
      {
        specifier: './sale.ts',
        source: `${importOf('{ price }', './price.ts')}\nexport async function sale() { return price(); }\nexport class Till {}`,
      },
    ]);
    const { sale, ...others } = await load(joined);
    expect(await (sale as () => Promise<string>)()).toBe('1cents');
    expect(Object.keys(others).sort()).toEqual(['Till', 'cents', 'price']);
  });

  test.each([
    'export default 1;',
    importOf('* as price', './price.ts'),
    importOf('{ price }', './price.ts').replace('import', 'export'),
    'export let price = 1;',
  ])('refuse a statement that they do not understand: %s', (statement) => {
    expect(() => joinModules([{ specifier: './sale.ts', source: statement }])).toThrow(
      `./sale.ts cannot be joined with other modules: ${statement}`,
    );
  });

  test('refuse a name that two of them export', () => {
    const source = 'export const price = 1;';
    expect(() => joinModules(['./price.ts', './sale.ts'].map((specifier) => ({ specifier, source })))).toThrow(
      './sale.ts and ./price.ts both export price.',
    );
  });

  test('are what another module imports in place of them', () => {
    const module = (price: string) =>
      [importOf('{ h }', 'preact'), importOf('{ price }', price), importOf('{ map }', './map.ts')].join('\n');
    expect(importFromJoined(module('./price.ts'), new Set(['./price.ts']), './first-page.ts')).toBe(module('./first-page.ts'));
  });
});
