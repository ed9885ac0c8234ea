const SPECIFIER = /\bfrom\s*["']([^"']+)["']|\bimport\s*["']([^"']+)["']/g;

/** The static imports of a JavaScript module. Dynamic imports load later and are left out. */
export const staticImports = (source: string): string[] => [...source.matchAll(SPECIFIER)].map(([, from, bare]) => from ?? bare ?? '');

/** A module and everything that it imports statically. Each stands after those that it imports, the module itself last. */
export function importClosure(last: string, importsOf: (module: string) => readonly string[]): readonly string[] {
  const asked = new Set<string>();
  const placed: string[] = [];
  function place(module: string): void {
    if (asked.has(module)) return;
    asked.add(module);
    for (const imported of importsOf(module)) place(imported);
    placed.push(module);
  }
  place(last);
  return placed;
}
