import { readFile } from 'node:fs/promises';
import { diagramStyles } from '../../diagram/svg.ts';
import { duration } from '../../../ui/kit/format.ts';
import { type Markup, markup, Markup as Raw } from '../../output/markup.ts';
import { factsOf, seconds } from './facts.ts';
import { anchorOf, outcomeBadge, scenarioHtml } from './html-scenario.ts';
import type { Recorded, ReportedRun } from './recording.ts';

/** The most arrows on the page. Later scenarios have no diagram unless they failed. */
const MOST_ARROWS = 10_000;

/** The run as one page, without scripts and network requests. */
export async function htmlOf(run: ReportedRun): Promise<string> {
  const { scenarios } = run;
  const styles = `${await diagramStyles()}\n${await readFile(new URL('./page.css', import.meta.url), 'utf8')}`;
  const failed = scenarios.filter(({ failure }) => failure !== undefined).length;
  const outcome = `${scenarios.length - failed} of ${scenarios.length} passed`;
  let arrows = 0;
  const drawn = scenarios.map((one) => {
    arrows += one.hops.length;
    return scenarioHtml(one, {
      isOpen: one.failure !== undefined || scenarios.length === 1,
      hasDiagram: arrows <= MOST_ARROWS || one.failure !== undefined,
    });
  });
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Rehearsal report: ${outcome}</title>
<style>${new Raw(styles)}</style>
</head>
<body>
<header>
<h1>Rehearsal report</h1>
<p class="outcome"><span class="badge ${failed > 0 ? 'bad' : 'good'}">${outcome}</span> in ${seconds(scenarios.reduce((sum, { ms }) => sum + ms, 0))}</p>
<p class="muted">${new Date(run.startedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC · estate ${run.version} at <code>${run.gateway}</code></p>
</header>
<main>
${scenarios.length > 1 && overview(scenarios)}
${drawn}
</main>
</body>
</html>
`.text;
}

const overview = (scenarios: readonly Recorded[]): Markup => markup`<section class="panel" aria-label="Scenarios">
<table class="overview">
<thead><tr><th>Outcome</th><th>Scenario</th><th class="wide">What it did</th><th class="number">Time</th></tr></thead>
<tbody>${scenarios.map(
  (run) => markup`<tr>
<td>${outcomeBadge(run)}</td>
<td><a href="#${anchorOf(run)}">${run.scenario.name}</a><div class="muted">${run.scenario.title}</div></td>
<td class="wide muted">${factsOf(run)}</td>
<td class="number">${duration(run.ms)}</td>
</tr>
`,
)}</tbody>
</table>
</section>`;
