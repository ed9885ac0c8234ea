import { type Cell, type HardenRun, isFailing } from '../../../rehearsal/harden/run.ts';
import { HEADS, SENTENCES, startOf } from '../../../rehearsal/harden/words.ts';
import { inOneLine } from '../../../shared/domain/printable.ts';
import { suiteText } from '../../rehearse/report/junit.ts';

/** The run as JUnit XML: one test case for each misfortune of each site. */
export function hardenJunit(run: HardenRun): string {
  const sites = new Map(run.sites.map(({ id, label }) => [id, label]));
  const findings = new Map(run.findings.map((finding) => [finding.id, finding]));
  return suiteText({
    name: 'estate harden',
    startedAt: startOf(run) ?? 0,
    properties: { command: inOneLine(run.command), version: run.estate },
    cases: run.cells.map((cell) => {
      const { verdict, site, family, label, id, differences = [], finding: found } = cell;
      const finding = found === undefined ? undefined : findings.get(found);
      const hasFailed = verdict !== undefined && isFailing(verdict) && finding?.accepted !== true;
      const parts = [finding?.paragraph, finding && `Remedy: ${finding.remedy}`, finding && `Again: ${finding.repeat}`];
      const text = [reasonOf(cell), ...parts].filter((part) => part !== undefined).map((part) => inOneLine(part, 4_000));
      return {
        group: sites.get(site) ?? site,
        name: `${HEADS[family]}: ${label} (${id})`,
        ms: cell.ms ?? 0,
        failure: hasFailed ? { type: verdict, message: `${verdict}: ${reasonOf(cell)}`, text: text.join('\n') } : undefined,
        skipped: hasFailed ? undefined : whySkipped(cell, finding?.accepted === true),
        output: [
          reasonOf(cell),
          ...differences.map(({ what, baseline, tried }) => inOneLine(`${what}: ${baseline || 'none'} → ${tried || 'none'}`)),
        ],
      };
    }),
  });
}

const reasonOf = ({ verdict, reason }: Cell): string =>
  inOneLine(reason ?? (verdict === undefined ? 'It was not tried.' : SENTENCES[verdict]), 1_000);

/** Why a cell neither passes nor fails. */
function whySkipped(cell: Cell, isAccepted: boolean): string | undefined {
  const { verdict } = cell;
  if (verdict === undefined || verdict === 'not-struck' || verdict === 'unstable') return reasonOf(cell);
  return isAccepted && isFailing(verdict) ? `The finding is accepted. ${reasonOf(cell)}` : undefined;
}
