import { isJson } from './json-text.js';

/** Most differences in the list. Both bodies are shown below it. */
const MOST = 8;

/** The answer that a case documents. The mock echoes the lane of the caller. */
export function documentedAnswer({ fixture, caller }) {
  const { status, headers, answer } = fixture;
  return { status, headers, text: answer.replace('"{lane}"', () => JSON.stringify(caller.touchpointId)) };
}

/** How an answer differs from the documented one, in sentences; none when status, headers and body are as documented. */
export function differences({ documented, answer }) {
  const found = [];
  if (answer.status !== documented.status) found.push(`Status: documented ${documented.status}, answered ${answer.status}.`);
  const received = new Headers(answer.headers);
  for (const [name, value] of Object.entries(documented.headers)) {
    if (received.get(name) !== value) found.push(`Header ${name}: documented ${value}, answered ${received.get(name) ?? 'none'}.`);
  }
  if (answer.text !== documented.text) found.push(...inBody({ documented: documented.text, answered: answer.text }));
  return found.length > MOST ? [...found.slice(0, MOST), `${found.length - MOST} more differences.`] : found;
}

function inBody({ documented, answered }) {
  if (!isJson(answered)) return ['Body: documented as JSON, answered otherwise.'];
  const found = inValue({ documented: JSON.parse(documented), answered: JSON.parse(answered), path: '' });
  return found.length > 0 ? found : ['Body: the documented values, written differently.'];
}

function inValue({ documented, answered, path }) {
  if (isObject(documented) && isObject(answered) && Array.isArray(documented) === Array.isArray(answered)) {
    const names = [...new Set([...Object.keys(documented), ...Object.keys(answered)])];
    return names.flatMap((name) =>
      inValue({ documented: documented[name], answered: answered[name], path: path === '' ? name : `${path}.${name}` }),
    );
  }
  if (documented === answered) return [];
  return [`${path === '' ? 'Body' : path}: documented ${shown(documented)}, answered ${shown(answered)}.`];
}

const isObject = (value) => typeof value === 'object' && value !== null;
const shown = (value) => (value === undefined ? 'none' : JSON.stringify(value));
