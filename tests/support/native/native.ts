type Load = (module: string) => unknown;

/**
 * Loads a module or package as Node does. Jest gives each test file modules of its own: with the largest packages that costs more than
 * many a file's tests, since each time they are compiled anew and begin cold. Those that are loaded so keep nothing that one file could
 * leave to the next, and do not ask whether what they are given is an instance of a class that each test file has of its own, such as Date.
 */
export const native = (globalThis as unknown as Record<symbol, Load>)[Symbol.for('native')] as Load;
