import '../kit/tokens.css';
import './scalar-page.css';
import type { ConsoleConfig } from '../data/config.ts';
import type { RehearsalCredentials } from '../data/session.ts';
import { CONTROL, LAST_REHEARSAL, OF_REHEARSAL } from '../data/session-keys.ts';

/** The script of a reference page. It loads no library: the page has no import map. */

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
const link = document.querySelector(`nav a[href$="/${reference}"]`);
link?.setAttribute('aria-current', 'page');
document.title = `${link?.textContent} · Estate console`;

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
  if (line) line.textContent = `Requests go to the rehearsal ${caller.rehearsal}.`;
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
