const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*["']([^"']+)["'];/gm;
const EXPORT = /^export (?=(?:async )?(?:function\*?|const|class) (\w+))/gm;
const OTHER = /^(?:import|export)\b.*/m;

export interface NamedModule {
  /** The specifier in its siblings' imports: `./format.ts`. */
  readonly specifier: string;
  readonly source: string;
}

/**
 * Joins modules into one, so that a browser sends one request. Each keeps its own scope. The modules are sorted by their imports.
 * Supports named imports and exported declarations.
 * @throws Error when a module uses other syntax, or two export the same name
 */
export function joinModules(modules: readonly NamedModule[]): string {
  const scopes = new Map(modules.map(({ specifier }, place) => [specifier, `module${place}`]));
  const libraries = new Map<string, string>();
  const homes = new Map<string, string>();

  function scopeOf(specifier: string): string {
    const scope = scopes.get(specifier) ?? libraries.get(specifier) ?? `library${libraries.size}`;
    if (!scopes.has(specifier)) libraries.set(specifier, scope);
    return scope;
  }

  const parts = modules.map(({ specifier, source }) => {
    const exported = [...source.matchAll(EXPORT)].map(([, name = '']) => name);
    const body = source
      .replace(IMPORT, (_, names: string, from: string) => `const {${names.replaceAll(' as ', ': ')}} = ${scopeOf(from)};`)
      .replace(EXPORT, '');
    const [other] = OTHER.exec(body) ?? [];
    if (other !== undefined) throw new Error(`${specifier} cannot be joined with other modules: ${other}`);
    for (const name of exported) {
      const home = homes.get(name);
      if (home !== undefined)
        throw new Error(`${specifier} and ${home} both export ${name}. Modules of the first page need different names.`);
      homes.set(name, specifier);
    }
    const scope = scopeOf(specifier);
    const names = `{ ${exported.join(', ')} }`;
    return `// ${specifier}\nconst ${scope} = (() => {\n${body.trim()}\nreturn ${names};\n})();\nexport const ${names} = ${scope};`;
  });
  return [...[...libraries].map(([library, scope]) => `import * as ${scope} from '${library}';`), ...parts, ''].join('\n');
}

/** The module, with its imports of these siblings from the module that they are joined in. */
export const importFromJoined = (source: string, siblings: ReadonlySet<string>, joined: string): string =>
  source.replace(IMPORT, (statement, _, from: string) => (siblings.has(from) ? statement.replace(from, joined) : statement));
