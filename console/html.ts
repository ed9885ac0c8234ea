/** Names of files: what an HTML page refers to. */
export interface Page {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  /** Modules that the page needs first. */
  readonly preloads: readonly string[];
  readonly scalar: string;
}

/** @param base address of the files */
const html = (title: string, base: string, { script, style, icon, preloads, scalar }: Page, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${base}${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${base}${style}">
${preloads.map((name) => `<link rel="modulepreload" href="${base}${name}">`).join('\n')}
${scalar === '' ? '' : `<script defer src="${base}${scalar}"></script>`}
<script type="module" src="${base}${script}"></script>
</head>
<body>
${body}
</body>
</html>
`;

/** Where the page appears, with words for one that does not. */
const place = (id: string): string => `<div id="${id}">
<p class="loading">The ${id} is loading. If it does not appear, <a href="">load the page again</a>.</p>
</div>`;

export const ASSETS = '/console/assets/';
const REFERENCES = { api: 'APIs', events: 'Events', problems: 'Problems', values: 'Magic values' } as const;

/** The reference pages are separate, because they need another policy than the console. */
const referenceHtml = (page: Page, reference: 'api' | 'events'): string =>
  html(
    `${REFERENCES[reference]} · Estate console`,
    ASSETS,
    page,
    `<header class="reference-bar">
<a href="/console/">← Console</a>
<nav aria-label="Reference">
${Object.entries(REFERENCES)
  .map(([name, title]) => `<a href="/console/reference/${name}"${name === reference ? ' aria-current="page"' : ''}>${title}</a>`)
  .join('\n')}
</nav>
<p id="caller"></p>
</header>
<main id="reference" data-reference="${reference}"><p class="reference-state" role="status">Loading the reference…</p></main>`,
  );

/** The HTML pages of each bundle, by name. Their modules do the rest. */
export const htmlOf = {
  console: (page: Page) => ({
    console: html(
      'Estate console',
      ASSETS,
      page,
      `${place('console')}
<noscript>
<h1>Unified commerce estate</h1>
<p>The console needs JavaScript. These documents do not:</p>
<ul>
<li><a href="/openapi.json">All APIs as OpenAPI 3.1</a>, also <a href="/openapi.yaml">as YAML</a></li>
<li><a href="/asyncapi.json">All events as AsyncAPI 3</a>, also <a href="/asyncapi.yaml">as YAML</a></li>
<li><a href="/readyz">Whether the estate is ready</a></li>
</ul>
</noscript>`,
    ),
  }),
  reference: (page: Page) => ({ 'reference-api': referenceHtml(page, 'api'), 'reference-events': referenceHtml(page, 'events') }),
  portal: (page: Page) => ({
    portal: html(
      'Touchpoint mock – portal',
      // A server in front of it may serve the portal below any path.
      'assets/',
      page,
      `${place('portal')}
<noscript>
<p>This page needs JavaScript. The contract itself does not: see the OpenAPI document as <a href="openapi.json">JSON</a> or <a href="openapi.yaml">YAML</a>.</p>
</noscript>`,
    ),
  }),
};
