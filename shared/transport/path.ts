const PARAMETER = /\{(\w+)\}/g;

/** `/a/{id}` with encoded values for its parameters. A parameter without a value is left empty. */
export const fillPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(PARAMETER, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** `?a=1&b=2`, without members that are undefined; empty when none is left. */
export function queryString(query: Readonly<Record<string, unknown>> = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}
