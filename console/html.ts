import type { Page } from './bundle.ts';

/** @param head further elements of the head. Addresses are relative to `base`. */
const html = ({
  title,
  page,
  base,
  head = '',
  body,
}: {
  title: string;
  page: Page;
  base: string;
  head?: string;
  body: string;
}) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${base}${page.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${base}${page.style}">
${page.preloads.map((name) => `<link rel="modulepreload" href="${base}${name}">\n`).join('')}${head}<script type="module" src="${base}${page.script}"></script>
</head>
<body>
${body}
</body>
</html>
`;

export const ASSETS = '/console/assets/';

/** The one HTML page of the console. Its modules do the rest. */
export const consoleHtml = (page: Page): string =>
  html({
    title: 'Estate console',
    page,
    base: ASSETS,
    body: `<div id="console">
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
  });

/** The page of the touchpoint mock. A server in front of it may serve it below any path. */
export const portalHtml = (page: Page): string =>
  html({
    title: 'Touchpoint mock – portal',
    page,
    base: 'assets/',
    body: `<div id="portal">
<p class="loading">The portal is loading. If it does not appear, <a href="">load the page again</a>.</p>
</div>
<noscript>
<h1>Touchpoint mock</h1>
<p>This page needs JavaScript. The contract itself does not: see the OpenAPI document as <a href="openapi.json">JSON</a> or <a href="openapi.yaml">YAML</a>.</p>
</noscript>`,
  });

const TITLES = { api: 'APIs', events: 'Events', problems: 'Problems', values: 'Magic values' } as const;
export type Reference = 'api' | 'events';

/** A separate page, because the references need another policy than the console. */
export const referenceHtml = (reference: Reference, page: Page): string =>
  html({
    title: `${TITLES[reference]} · Estate console`,
    page,
    base: ASSETS,
    head: `<script defer src="${ASSETS}${page.scalar}"></script>\n`,
    body: `<header class="reference-bar">
<a href="/console/">← Console</a>
<nav aria-label="Reference">
${Object.entries(TITLES)
  .map(([name, title]) => `<a href="/console/reference/${name}"${name === reference ? ' aria-current="page"' : ''}>${title}</a>`)
  .join('\n')}
</nav>
<p id="caller"></p>
</header>
<main id="reference" data-reference="${reference}"><p class="reference-state" role="status">Loading the reference…</p></main>`,
  });
