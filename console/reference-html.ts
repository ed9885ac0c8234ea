import { ICON, REFERENCE_STYLES, SCALAR_ENTRY } from './page-files.ts';

export const SCALAR = '/console/reference/scalar.js';

/** Scalar writes inline styles and tries `eval`. Everything else must be a file of the gateway. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TITLES = { api: 'APIs', events: 'Events', problems: 'Problems', values: 'Magic values' } as const;
export type Reference = 'api' | 'events';

const links = (current: Reference): string =>
  Object.entries(TITLES)
    .map(([name, title]) => `<a href="/console/reference/${name}"${name === current ? ' aria-current="page"' : ''}>${title}</a>`)
    .join('\n');

/** A separate page, because the references need another policy than the console. */
export const referenceHtml = (reference: Reference): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${TITLES[reference]} · Estate console</title>
<link rel="icon" href="${ICON}" type="image/svg+xml">
<link rel="stylesheet" href="${REFERENCE_STYLES}">
<script defer src="${SCALAR}"></script>
<script type="module" src="${SCALAR_ENTRY}"></script>
</head>
<body>
<header class="reference-bar">
<a href="/console/">← Console</a>
<nav aria-label="Reference">
${links(reference)}
</nav>
<p id="caller"></p>
</header>
<main id="reference" data-reference="${reference}"><p class="reference-state" role="status">Loading the reference…</p></main>
</body>
</html>
`;
