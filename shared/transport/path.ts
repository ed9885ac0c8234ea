const PARAMETER = /\{(\w+)\}/g;

/** `/a/{id}` with values for its parameters, encoded; one without a value is left empty. */
export const fillPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(PARAMETER, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** `/a/{id}` in Express's notation. */
export const expressPath = (path: string): string => path.replaceAll(PARAMETER, ':$1');
