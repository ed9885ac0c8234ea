const PARAMETER = /\{(\w+)\}/g;

/** Thrown for a path that would lead to another place than the caller wrote. The message names the mistake and the remedy. */
export class PathRefused extends TypeError {
  override readonly name = 'PathRefused';
  /** The parameter of the path that has the mistake. */
  readonly parameter: string | undefined;
  constructor(detail: string, parameter?: string) {
    super(detail);
    this.parameter = parameter;
  }
}

/** `/a/{id}` with encoded values for its parameters. @throws PathRefused for a value that cannot be a segment of a path */
export const fillPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(PARAMETER, (_, name: string) => segmentOf(name, params[name] ?? ''));

/** HTTP clients and servers read `.` and `..` as steps, encoded ones too. So no encoding makes them a value. */
function segmentOf(name: string, value: string): string {
  const text = String(value);
  const mistake =
    text === '' ? 'is empty' : /^\.{1,2}$/.test(text) ? `is "${text}", a step of a path` : !text.isWellFormed() && 'is not text';
  if (mistake === false) return encodeURIComponent(text);
  throw new PathRefused(`The path parameter "${name}" ${mistake}. Give the id or the name that it stands for.`, name);
}

/** What HTTP clients change in a path: they resolve steps, encoded ones too, read `\` as `/`, and drop tabs and line ends. */
const CHANGED = /[\\\t\r\n]|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Refuses a path that HTTP clients send as another one. @throws PathRefused */
export function requireWrittenPath(target: string): void {
  const [path = ''] = target.split(/[?#]/, 1);
  if (path.startsWith('/') && !CHANGED.test(path)) return;
  throw new PathRefused('The path must begin with "/", and must have no segment "." or "..", and no "\\". Write the path that is meant.');
}

/** Whether a path has the segments of its template, with values in place of the parameters. */
export function fitsTemplate(path: string, template: string): boolean {
  const sent = path.split('/');
  const declared = template.split('/');
  return (
    sent.length === declared.length &&
    declared.every((segment, place) => (segment.startsWith('{') ? sent[place] !== '' : sent[place] === segment))
  );
}

/** `?a=1&b=2`, without members that are undefined; empty when none is left. */
export function queryString(query: Readonly<Record<string, unknown>> = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}
