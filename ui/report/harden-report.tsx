import '../kit/tokens.css';
import '../kit/base.css';
import { renderToString } from 'preact-render-to-string';
import type { HardenRun } from '../../rehearsal/harden/run.ts';
import { headline } from '../../rehearsal/harden/words.ts';
import { withoutControls } from '../../shared/domain/printable.ts';
import { RunHead, RunView } from '../harden/run-view.tsx';
import css from './report.module.css';

/** A run of `estate harden` as one page, without scripts and network requests. @param styles the sheet of this module */
export function hardenHtml(recorded: HardenRun, styles: string): string {
  const run = JSON.parse(JSON.stringify(recorded), (_, value) => (typeof value === 'string' ? withoutControls(value) : value)) as HardenRun;
  return `<!doctype html>\n${renderToString(<Page run={run} styles={styles} />)}\n`;
}

const Page = ({ run, styles }: { run: HardenRun; styles: string }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
      <title>Harden report: {headline(run)}</title>
      <style dangerouslySetInnerHTML={{ __html: styles }} />
    </head>
    <body class={css.report}>
      <header>
        <h1>Harden report</h1>
        <RunHead run={run} />
      </header>
      <main>
        <RunView run={run} hasFiles />
      </main>
    </body>
  </html>
);
