import './faults.css';
import { h } from 'preact';
import { control, drawn, faults, isCutOff, isUsedUp, type Output, rehearsalLink, useResource, withQuery } from '../data/data.ts';
import { Badge, Card, counted, Heading, rehearsalTime } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { FaultRuleForm } from './fault-form.ts';
import { ruleInWords } from './fault-rule.ts';
import { dropAllFaults, dropFault, type FaultPreset, type SetFault, setPreset } from './fault-switch.ts';

/** What goes wrong in a rehearsal: switches under business names, rules of one's own, and what they withhold. */
export function Faults({ rehearsal }: PageProps) {
  const presets = useResource('presets', (signal) => control('list-fault-presets', undefined, { signal }));
  const set = faults.value ?? [];
  const usedUp = set.filter(isUsedUp).length;
  const others = set.filter(({ name }) => presets.value?.items.every(({ id }) => id !== name) === true);
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'title' },
      h(Heading, { title: `Faults of ${rehearsal}` }, 'Faults'),
      h(
        'p',
        { class: 'line' },
        h(
          'span',
          { class: 'muted' },
          set.length === 0
            ? 'Nothing goes wrong on purpose.'
            : [
                `${counted(set.length - usedUp, 'fault')} set`,
                ...(usedUp > 0 ? [`${usedUp} used up`] : []),
                counted(
                  set.reduce((sum, { hits }) => sum + hits, 0),
                  'strike',
                ),
              ].join(', '),
        ),
        h('button', { type: 'button', disabled: isCutOff() || set.length === 0, onClick: () => void dropAllFaults() }, 'All off'),
      ),
    ),
    h(
      'div',
      { class: 'over' },
      h(
        'div',
        { class: 'stack' },
        drawn(presets, ({ items }) =>
          groupsOf(items).map(([group, ofGroup]) => h(Group, { key: group, group, presets: ofGroup, set, rehearsal })),
        ),
      ),
      h(
        'div',
        { class: 'stack' },
        h(OwnRules, { set: others, rehearsal }),
        h(WithheldCard, { set, presets: presets.value?.items ?? [] }),
        h(FaultRuleForm, {}),
      ),
    ),
  );
}

const groupsOf = (presets: readonly FaultPreset[]): [string, FaultPreset[]][] => [...Map.groupBy(presets, ({ group }) => group)];

interface GroupProps {
  readonly group: string;
  readonly presets: readonly FaultPreset[];
  readonly set: readonly SetFault[];
  readonly rehearsal: string;
}

const Group = ({ group, presets, set, rehearsal }: GroupProps) =>
  h(
    Card,
    { title: group },
    h(
      'ul',
      { class: 'switches' },
      presets.map((preset) => h(PresetRow, { key: preset.id, preset, set: set.find(({ name }) => name === preset.id), rehearsal })),
    ),
  );

function PresetRow({ preset, set, rehearsal }: { preset: FaultPreset; set: SetFault | undefined; rehearsal: string }) {
  const { id, title, effect, rule } = preset;
  const toggle = (): Promise<void> => (set ? dropFault(id, title) : setPreset(preset));
  return h(
    'li',
    { class: set ? 'on' : undefined },
    h(
      'button',
      {
        type: 'button',
        class: 'switch',
        role: 'switch',
        'aria-checked': set ? 'true' : 'false',
        'aria-describedby': `${id}-effect`,
        disabled: isCutOff(),
        onClick: () => void toggle(),
      },
      h('span', { class: 'knob', 'aria-hidden': 'true' }),
      h('span', { class: 'what' }, title),
    ),
    h(Hits, { fault: set, rehearsal }),
    h('p', { class: 'effect', id: `${id}-effect` }, effect),
    h('p', { class: 'muted small brk' }, h('code', {}, ruleInWords(set ?? rule))),
  );
}

/** How often it struck, as a link to the traces that it struck. */
function Hits({ fault, rehearsal }: { fault: SetFault | undefined; rehearsal: string }) {
  if (!fault) return null;
  if (fault.hits === 0) return h(Badge, { tone: 'warn' }, 'on, not struck yet');
  return h(
    'a',
    { class: 'badge warn', href: withQuery(rehearsalLink(rehearsal, 'activity'), { fault: fault.name }) },
    h('span', { 'aria-hidden': 'true' }, '⚡'),
    `struck ${counted(fault.hits, 'time')}${isUsedUp(fault) ? ', used up' : ''}`,
  );
}

function OwnRules({ set, rehearsal }: { set: readonly SetFault[]; rehearsal: string }) {
  if (set.length === 0) return null;
  return h(
    Card,
    { title: 'Other rules' },
    h(
      'ul',
      { class: 'switches' },
      set.map((fault) =>
        h(
          'li',
          { key: fault.name, class: 'on' },
          h('span', { class: 'what brk' }, fault.name),
          h(Hits, { fault, rehearsal }),
          h('p', { class: 'muted small brk' }, h('code', {}, ruleInWords(fault))),
          h(
            'p',
            {},
            h(
              'button',
              { type: 'button', disabled: isCutOff(), onClick: () => void dropFault(fault.name) },
              'Switch off',
              h('span', { class: 'unseen' }, ` ${fault.name}`),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Events and webhooks that faults withhold. Read when such a fault strikes. */
function WithheldCard({ set, presets }: { set: readonly SetFault[]; presets: readonly FaultPreset[] }) {
  const mayWithhold = set.filter(({ match, hits }) => hits > 0 && (match.event !== undefined || match.webhook !== undefined));
  const key = JSON.stringify(mayWithhold.map(({ name, hits }) => [name, hits]));
  const settled = useResource(key, async (signal): Promise<Output<'settle'>['withheld']> => {
    if (mayWithhold.length === 0) return [];
    return (await control('settle', { body: { timeoutMs: 0 } }, { signal })).withheld;
  });
  const withheld = settled.value ?? [];
  if (withheld.length === 0) return null;
  const titleOf = (fault: string): string => presets.find(({ id }) => id === fault)?.title ?? fault;
  return h(
    Card,
    { title: 'Withheld', aside: h('button', { type: 'button', class: 'quiet', onClick: settled.reload }, 'Refresh') },
    h(
      'ul',
      { class: 'switches' },
      withheld.map(({ what, id, type, subject, fault, until }) =>
        h(
          'li',
          { key: id },
          h('span', { class: 'what brk' }, type?.replace('com.unified-commerce.', '') ?? `${what} ${id}`),
          h(Badge, { tone: 'event' }, what),
          h(
            'p',
            { class: 'muted small brk' },
            [
              subject,
              `by “${titleOf(fault)}”`,
              until === undefined ? 'until it is switched off' : `until ${rehearsalTime(until)} or until it is switched off`,
            ]
              .filter(Boolean)
              .join(', '),
          ),
        ),
      ),
    ),
  );
}
