const SPECIFIER = /\bfrom\s*["']([^"']+)["']|\bimport\s*["']([^"']+)["']/g;

/** The static imports of a JavaScript module. Dynamic imports load later and are left out. */
export const staticImports = (source: string): string[] => [...source.matchAll(SPECIFIER)].map(([, from, bare]) => from ?? bare ?? '');

/** A module and everything that it imports statically, itself first. */
export function importClosure(first: string, importsOf: (module: string) => readonly string[]): readonly string[] {
  const reached = new Set([first]);
  for (const module of reached) for (const imported of importsOf(module)) reached.add(imported);
  return [...reached];
}
