import { useSignal } from '@preact/signals';
import { apis, applications, faultRules } from '../data/catalog.ts';
import { applicationTitle, control, isCutOff, mistakeAt, readFaults } from '../data/data.ts';
import { Card, Choice, say, useForm } from '../kit/kit.ts';
import { CARRIER, FAULT_KINDS, type FaultForm, type FaultKind, type FaultTargetKind, faultRule } from './fault-rule.ts';

const TARGETS: readonly (readonly [FaultTargetKind, string])[] = [
  ['call', 'Calls of an application or an API'],
  ['event', 'An event'],
  ['webhook', 'Webhooks of the carrier or to a receiver'],
];
const EMPTY: FaultForm = {
  target: 'call',
  kind: 'outage',
  application: '',
  api: '',
  event: 'order-confirmed',
  subject: '',
  webhook: CARRIER,
  scan: '',
  members: {},
  times: '',
  probability: '',
  seed: '',
};

/** Validated here, because the name is part of the URL, where names such as `..` change the path. */
function nameTrouble(name: string): string | undefined {
  if (name === '') return 'A fault needs a name: choose one.';
  if (new RegExp(faultRules.name).test(name)) return undefined;
  return 'A fault’s name has letters, digits, hyphens, underscores and dots, but not only dots.';
}

/**
 * The form of a custom fault. The gateway validates it. The form shows errors next to their fields.
 * @param webhooks names of the registered ones
 */
export function FaultRuleForm({ webhooks }: { webhooks: readonly string[] }) {
  const name = useSignal('');
  const form = useSignal(EMPTY);
  const { target, kind, application } = form.value;
  const change = (changes: Partial<FaultForm>): void => {
    form.value = { ...form.value, ...changes };
  };
  const set = async (): Promise<void> => {
    const given = name.value.trim();
    const trouble = nameTrouble(given);
    if (trouble !== undefined) throw mistakeAt('{name}', trouble);
    await control('put-fault', { params: { name: given }, body: faultRule(form.value) });
    await readFaults();
    say(`The fault ${given} is set.`);
    name.value = '';
  };
  const ofForm = useForm(set, {
    // Of a call without a target the fields are below the choice of what it strikes.
    pointerOf: (pointer) => (target === 'call' && pointer === '/match' ? '/match/application' : pointer),
  });
  const ofApplication = Object.entries(apis).filter(([, api]) => application === '' || api.application === application);
  const choice = (
    member: 'application' | 'api' | 'event' | 'webhook' | 'scan',
    label: string,
    pointer: string,
    choices: readonly (readonly [string, string])[],
  ) =>
    ofForm.field({ id: `fault-${member}`, label, pointer }, (attributes) => (
      <Choice
        attributes={attributes}
        value={form.value[member]}
        choices={choices}
        onChange={(value) => change({ [member]: value, ...(member === 'application' && { api: '' }) })}
      />
    ));
  const text = (member: 'subject' | 'times' | 'probability' | 'seed', label: string, hint: string) =>
    ofForm.field({ id: `fault-${member}`, label, hint, pointer: member === 'subject' ? '/match/subject' : `/${member}` }, (attributes) => (
      <input
        type="text"
        {...attributes}
        value={form.value[member]}
        onInput={({ currentTarget }) => change({ [member]: currentTarget.value })}
      />
    ));
  const kinds: readonly FaultKind[] = faultRules.kinds[target];
  const { effect, members } = FAULT_KINDS[kind];
  return (
    <Card title="Your own rule">
      <form {...ofForm.attributes} class="in fields">
        {ofForm.others}
        {ofForm.text(
          {
            id: 'fault-name',
            label: 'Name',
            hint: 'At most 64 letters, digits, dots, hyphens and underscores',
            pointer: '{name}',
          },
          name,
          { required: true, maxLength: 64 },
        )}
        {ofForm.field({ id: 'fault-target', label: 'What it strikes', pointer: '/match' }, (attributes) => (
          <Choice
            attributes={attributes}
            value={target}
            choices={TARGETS}
            onChange={(value) => {
              const [chosen = 'call'] = TARGETS.find(([one]) => one === value) ?? [];
              const [first = 'outage', ...others]: readonly FaultKind[] = faultRules.kinds[chosen];
              change({ target: chosen, kind: [first, ...others].includes(kind) ? kind : first, members: {} });
            }}
          />
        ))}
        {target === 'call' && [
          choice('application', 'Application', '/match/application', [
            ['', 'any'],
            ...Object.keys(applications).map((id) => [id, applicationTitle(id)] as const),
          ]),
          choice('api', 'API', '/match/api', [['', 'any'], ...ofApplication.map(([id, api]) => [id, api.name] as const)]),
        ]}
        {target === 'event' && [
          choice(
            'event',
            'Event',
            '/match/event',
            faultRules.events.map((one) => [one, one] as const),
          ),
          text('subject', 'Subject', 'Optional: order/ord_…'),
        ]}
        {target === 'webhook' &&
          choice('webhook', 'Webhooks', '/match/webhook', [
            [CARRIER, 'of the carrier'],
            ...webhooks.map((one) => [one, `to ${one}`] as const),
          ])}
        {target === 'webhook' &&
          form.value.webhook === CARRIER &&
          choice('scan', 'Scan', '/match/status', [['', 'any'], ...faultRules.scans.map((one) => [one, one] as const)])}
        {ofForm.field({ id: 'fault-kind', label: 'What goes wrong', hint: effect, pointer: '/fault/kind' }, (attributes) => (
          <Choice
            attributes={attributes}
            value={kind}
            choices={kinds.map((one) => [one, FAULT_KINDS[one].title] as const)}
            onChange={(value) => change({ kind: kinds.find((one) => one === value) ?? kind, members: {} })}
          />
        ))}
        {members.map(({ name: member, label, initial, hint, choices }) =>
          ofForm.field(
            { key: `${kind} ${member}`, id: `fault-member-${member}`, label, hint, pointer: `/fault/${member}` },
            (attributes) => {
              const value = form.value.members[member] ?? initial;
              const set = (typed: string): void => change({ members: { ...form.value.members, [member]: typed } });
              return choices ? (
                <Choice attributes={attributes} value={value} choices={choices} onChange={set} />
              ) : (
                <input type="text" {...attributes} value={value} onInput={({ currentTarget }) => set(currentTarget.value)} />
              );
            },
          ),
        )}
        {text('times', 'How often', 'Number of strikes; empty: until it is switched off')}
        {text('probability', 'Probability', 'Optional, above 0 and up to 1; needs a seed')}
        {text('seed', 'Seed', 'Optional: the same seed gives the same strikes')}
        <p class="line">
          <button type="submit" class="primary" disabled={isCutOff()}>
            Set the fault
          </button>
        </p>
      </form>
    </Card>
  );
}
