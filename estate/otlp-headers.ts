/** The headers in a list of `name=value`. @returns undefined when an entry cannot be sent as a header */
export function headersIn(list: string): Readonly<Record<string, string>> | undefined {
  const entries = list.split(',').filter((entry) => entry.trim() !== '');
  const headers = entries.map(headerIn).filter((header) => header !== undefined);
  return headers.length === entries.length ? Object.fromEntries(headers) : undefined;
}

function headerIn(entry: string): readonly [name: string, value: string] | undefined {
  const [, name, encoded] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=(.+)$/s.exec(entry) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  try {
    const value = decodeURIComponent(encoded.trim());
    return /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}
