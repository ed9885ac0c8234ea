type Load = (module: string) => unknown;

/**
 * Loads a module or package with Node's loader. Jest loads separate modules for each test file, and compiling the largest packages
 * again costs more than many tests. Modules that are loaded this way must keep no state between files, and must not use
 * `instanceof` with classes that each test file has separately, such as Date.
 */
export const native = (globalThis as unknown as Record<symbol, Load>)[Symbol.for('native')] as Load;
