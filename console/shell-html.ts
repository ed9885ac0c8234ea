import { ENTRY, ICON, STYLES } from './page-files.ts';

/** The one HTML page. Its modules do the rest. */
export const shellHtml = (importMap: string, preloads: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Estate console</title>
<link rel="icon" href="${ICON}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLES}">
<script type="importmap">${importMap}</script>
${preloads.map((address) => `<link rel="modulepreload" href="${address}">`).join('\n')}
<script type="module" src="${ENTRY}"></script>
</head>
<body>
<div id="console">
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
</noscript>
</body>
</html>
`;
