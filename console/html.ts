import type { Pages } from './bundle.ts';

export const ASSETS = '/console/assets/';

const html = (title: string, head: readonly string[], body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head.join('\n')}
</head>
<body>
${body}
</body>
</html>
`;

const icon = (name: string): string => `<link rel="icon" href="${ASSETS}${name}" type="image/svg+xml">`;
const style = (name: string): string => `<link rel="stylesheet" href="${ASSETS}${name}">`;
const preload = (name: string): string => `<link rel="modulepreload" href="${ASSETS}${name}">`;
const module = (name: string): string => `<script type="module" src="${ASSETS}${name}"></script>`;

/** The one HTML page of the console. Its modules do the rest. */
export const consoleHtml = (pages: Pages): string =>
  html(
    'Estate console',
    [icon(pages.icon), style(pages.style), ...pages.preloads.map(preload), module(pages.script)],
    `<div id="console">
<p class="loading">The console is loading. If it does not appear, <a href="">load the page again</a>.</p>
</div>
<noscript>
<h1>Unified commerce estate</h1>
<p>The console needs JavaScript. These documents do not:</p>
<ul>
<li><a href="/openapi.json">All APIs as OpenAPI 3.1</a>, also <a href="/openapi.yaml">as YAML</a></li>
<li><a href="/asyncapi.json">All events as AsyncAPI 3</a>, also <a href="/asyncapi.yaml">as YAML</a></li>
<li><a href="/readyz">Whether the estate is ready</a></li>
</ul>
</noscript>`,
  );

const TITLES = { api: 'APIs', events: 'Events', problems: 'Problems', values: 'Magic values', settings: 'Settings', glossary: 'Glossary' } as const;
export type Reference = 'api' | 'events';

const links = (current: Reference): string =>
  Object.entries(TITLES)
    .map(([name, title]) => `<a href="/console/reference/${name}"${name === current ? ' aria-current="page"' : ''}>${title}</a>`)
    .join('\n');

/** A separate page, because the references need another policy than the console. */
export const referenceHtml = (reference: Reference, pages: Pages): string =>
  html(
    `${TITLES[reference]} · Estate console`,
    [
      icon(pages.icon),
      style(pages.reference.style),
      `<script defer src="${ASSETS}${pages.reference.scalar}"></script>`,
      module(pages.reference.script),
    ],
    `<header class="reference-bar">
<a href="/console/">← Console</a>
<nav aria-label="Reference">
${links(reference)}
</nav>
<p id="caller"></p>
</header>
<main id="reference" data-reference="${reference}"><p class="reference-state" role="status">Loading the reference…</p></main>`,
  );
