import '../kit/tokens.css';
import './scalar-page.css';
import type { ConsoleConfig } from '../data/config.ts';
import type { RehearsalCredentials } from '../data/session.ts';
import { CONTROL, LAST_REHEARSAL, OF_REHEARSAL } from '../data/session-keys.ts';

/** The script of a page that is a frame of the console. It loads no library: the page has no import map. */

interface Parameter {
  readonly name?: string;
  readonly schema?: Record<string, unknown>;
  example?: unknown;
}
interface ApiDocument {
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> };
  servers?: readonly unknown[];
}
declare const Scalar: { createApiReference(place: Element, configuration: object): unknown };

const place = document.getElementById('reference');
if (!place) throw new Error('The page has no place for the reference.');
/** `api` or `events`. */
const reference = location.pathname.split('/').at(-1);

/** The address of the console names what the frame shows. */
function showAddress(): void {
  if (parent !== window) parent.history.replaceState(parent.history.state, '', `/console/reference/${reference}${location.hash}`);
}
for (const name of ['pushState', 'replaceState'] as const) {
  const change = history[name].bind(history);
  history[name] = (...given) => {
    change(...given);
    showAddress();
  };
}
addEventListener('hashchange', showAddress);

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The keys of the console act in the frame too. */
function passToConsole(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const searches = key.toLowerCase() === 'k' && (ctrlKey || metaKey);
  if (parent === window || (!searches && (isField(event.target) || ctrlKey || metaKey || altKey || key.length > 1))) return;
  const same = { key, ctrlKey, metaKey, altKey, shiftKey, bubbles: true, cancelable: true };
  if (parent.document.dispatchEvent(new KeyboardEvent('keydown', same))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
addEventListener('keydown', passToConsole, { capture: true });

/** A link to another page is not followed inside the frame. */
function leaveFrame({ target }: MouseEvent): void {
  const link = target instanceof Element ? target.closest('a') : null;
  if (link && link.href.split('#')[0] !== location.href.split('#')[0]) link.target ||= '_parent';
}
addEventListener('click', leaveFrame, { capture: true });

const read = async <T>(address: string): Promise<T> => {
  const answer = await fetch(address, { cache: 'no-cache' });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}.`);
  return (await answer.json()) as T;
};
const scriptLoaded = (): Promise<void> =>
  document.readyState === 'complete'
    ? Promise.resolve()
    : new Promise((resolve) => addEventListener('load', () => resolve(), { once: true }));

/** The page loads nothing from other servers: no fonts, no statistics, no proxy, no service of the maker. */
const QUIET = {
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  // The search of the console finds APIs.
  hideSearch: true,
  showDeveloperTools: 'never',
  proxyUrl: '',
  persistAuth: false,
  documentDownloadType: 'none',
  hideDarkModeToggle: true,
  darkMode: matchMedia('(prefers-color-scheme: dark)').matches,
  forceDarkModeState: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
} as const;

/** The last rehearsal of this tab, and the tab's credentials. */
function callerOf({ demo }: ConsoleConfig) {
  const rehearsal = sessionStorage.getItem(LAST_REHEARSAL) ?? 'default';
  const kept = sessionStorage.getItem(OF_REHEARSAL + rehearsal);
  const own = kept === null ? undefined : (JSON.parse(kept) as RehearsalCredentials);
  return {
    rehearsal,
    bearer: own?.bearer ?? demo?.integration ?? '',
    apiKey: own?.apiKey ?? demo?.apiKey ?? '',
    control: sessionStorage.getItem(CONTROL) ?? demo?.control ?? '',
  };
}

/** Every request that is tried from the page names the rehearsal. */
function naming(rehearsal: string, description: ApiDocument): ApiDocument {
  for (const parameter of Object.values(description.components?.parameters ?? {})) {
    if (parameter.name !== 'X-Rehearsal') continue;
    parameter.example = rehearsal;
    Object.assign(parameter.schema ?? {}, { default: rehearsal, example: rehearsal });
  }
  description.servers = [{ url: location.origin, description: 'This gateway' }];
  return description;
}

async function show(at: HTMLElement): Promise<void> {
  const [config, description] = await Promise.all([
    read<ConsoleConfig>('/console/config.json'),
    read<ApiDocument>(reference === 'api' ? '/openapi.json' : '/asyncapi.json'),
    scriptLoaded(),
  ]);
  const caller = callerOf(config);
  at.replaceChildren();
  if (reference === 'events') {
    Scalar.createApiReference(at, { ...QUIET, content: description });
    return;
  }
  const line = document.getElementById('caller');
  if (line) {
    line.textContent = `Requests go to the rehearsal ${caller.rehearsal}.`;
    line.hidden = false;
  }
  Scalar.createApiReference(at, {
    ...QUIET,
    content: naming(caller.rehearsal, description),
    authentication: {
      preferredSecurityScheme: 'bearer',
      securitySchemes: {
        bearer: { token: caller.bearer },
        apiKey: { value: caller.apiKey },
        control: { token: caller.control },
      },
    },
  });
}

show(place).catch((error: unknown) => {
  const line = document.createElement('p');
  line.className = 'reference-state failed';
  line.textContent = `The reference cannot be shown: ${String(error)}`;
  place.replaceChildren(line);
});
