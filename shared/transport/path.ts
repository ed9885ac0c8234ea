const PARAMETER = /\{(\w+)\}/g;
/** Characters with a meaning in regular expressions. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** `/a/{id}` with encoded values for its parameters. A parameter without a value is left empty. */
export const fillPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(PARAMETER, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** `/a/{id}` in Express's notation. */
export const expressPath = (path: string): string => path.replaceAll(PARAMETER, ':$1');

/** Matches the paths of `/a/{id}`, with a group for each parameter. A parameter is never empty. */
export const pathPattern = (path: string): RegExp => {
  const literals = path.split(PARAMETER);
  // With a group in the pattern, every second part is the name of a parameter.
  return new RegExp(
    `^${literals.map((part, index) => (index % 2 === 0 ? part.replaceAll(SPECIAL, '\\$&') : `(?<${part}>[^/]+)`)).join('')}$`,
  );
};

/** `?a=1&b=2`, without members that are undefined; empty when none is left. */
export function queryString(query: Readonly<Record<string, unknown>> = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}
