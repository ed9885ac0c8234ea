import { useSignal } from '@preact/signals';
import { apis, applications } from '../data/catalog.ts';
import { applicationTitle, control, isCutOff, mistakeAt, readFaults } from '../data/data.ts';
import { Card, say, useForm } from '../kit/kit.ts';
import { faultRules } from './catalog.ts';
import { CARRIER, FAULT_KINDS, type FaultForm, type FaultKind, type FaultTargetKind, faultRule, fieldsOf, OUTSIDE } from './fault-rule.ts';

const TARGETS: readonly (readonly [FaultTargetKind, string])[] = [
  ['call', 'Calls of an application or an API'],
  ['event', 'An event'],
  ['webhook', 'Webhooks of the carrier or to a receiver'],
];
const EMPTY: FaultForm = {
  target: 'call',
  kind: 'outage',
  application: 'payment-hub',
  api: '',
  caller: '',
  event: 'order-confirmed',
  subject: '',
  webhook: CARRIER,
  scan: '',
  members: {},
  times: '',
  skip: '',
  probability: '',
  seed: '',
};

const ANY = ['', 'any'] as const;
/** Stands for a webhook that is not registered. No webhook has this name. */
const LATER = '';
const asIs = (value: string) => [value, value] as const;

/** A text whose change is more than one assignment. */
const editable = (value: string, set: (typed: string) => void) => ({
  get value() {
    return value;
  },
  set value(typed) {
    set(typed);
  },
});

const named = Map.groupBy(Object.values(apis), ({ name }) => name);

/** The title of a call, with the application if several calls have the title. */
function choiceOf({ name, application, audience }: (typeof apis)[string]): string {
  if (named.get(name)?.length === 1) return name;
  return `${name} (${audience === 'internal' ? 'between applications' : applicationTitle(application)})`;
}

/** Validated here, because the name is part of the URL, where names such as `..` change the path. */
function nameTrouble(name: string): string | undefined {
  if (name === '') return 'A fault needs a name: choose one.';
  if (new RegExp(faultRules.name).test(name)) return undefined;
  return 'A fault’s name has letters, digits, dots, hyphens and underscores, but not only dots.';
}

/**
 * The form of a custom fault. The gateway validates it. The form shows errors next to their fields.
 * @param webhooks names of the registered ones
 */
export function FaultRuleForm({ webhooks }: { webhooks: readonly string[] }) {
  const name = useSignal('');
  const form = useSignal(EMPTY);
  const { target, application } = form.value;
  const change = (changes: Partial<FaultForm>): void => {
    form.value = { ...form.value, ...changes };
  };
  const fields = () => fieldsOf(form.value, faultRules.kinds[form.value.target], faultRules.changes);
  const set = async (): Promise<void> => {
    const given = name.value.trim();
    const trouble = nameTrouble(given);
    if (trouble !== undefined) throw mistakeAt('{name}', trouble);
    await control('put-fault', { params: { name: given }, body: faultRule(fields().form) });
    await readFaults();
    say(`The fault ${given} is set.`);
    name.value = '';
  };
  const ofForm = useForm(set, {
    // A fault on calls without a target shows this error at the field of the application.
    pointerOf: (pointer) => (target === 'call' && pointer === '/match' ? '/match/application' : pointer),
  });
  const ofApplication = Object.entries(apis).filter(([, api]) => application === '' || api.application === application);
  const member = (name: 'api' | 'caller' | 'event' | 'subject' | 'webhook' | 'scan' | 'times' | 'skip' | 'probability' | 'seed') =>
    editable(form.value[name], (typed) => change({ [name]: typed }));
  const { kinds, members, effect, form: shownForm } = fields();
  const { kind } = shownForm;
  const isLater = form.value.webhook !== CARRIER && !webhooks.includes(form.value.webhook);
  return (
    <Card title="Your own rule">
      <form {...ofForm.attributes} class="in stack">
        {ofForm.others}
        {ofForm.text(
          { id: 'fault-name', label: 'Name', hint: 'At most 64 letters, digits, dots, hyphens and underscores', pointer: '{name}' },
          name,
          { required: true, maxLength: 64 },
        )}
        {ofForm.choice(
          { id: 'fault-target', label: 'What it strikes', pointer: '/match' },
          editable(target, (value) => {
            const [chosen = 'call'] = TARGETS.find(([one]) => one === value) ?? [];
            const [first = 'outage', ...others]: readonly FaultKind[] = faultRules.kinds[chosen];
            change({ target: chosen, kind: [first, ...others].includes(kind) ? kind : first, members: {} });
          }),
          TARGETS,
        )}
        {target === 'call' && [
          ofForm.choice(
            { id: 'fault-application', label: 'Application', pointer: '/match/application' },
            editable(application, (value) => change({ application: value, api: '' })),
            [ANY, ...Object.keys(applications).map((id) => [id, applicationTitle(id)] as const)],
          ),
          ofForm.choice({ id: 'fault-api', label: 'API', pointer: '/match/api' }, member('api'), [
            ANY,
            ...ofApplication.map(([id, api]) => [id, choiceOf(api)] as const),
          ]),
          ofForm.choice({ id: 'fault-caller', label: 'Called by', pointer: '/match/caller' }, member('caller'), [
            ANY,
            [OUTSIDE, 'clients'],
            ...Object.keys(applications).map((id) => [id, applicationTitle(id)] as const),
          ]),
        ]}
        {target === 'event' && [
          ofForm.choice({ id: 'fault-event', label: 'Event', pointer: '/match/event' }, member('event'), faultRules.events.map(asIs)),
          ofForm.text(
            { id: 'fault-subject', label: 'Subject', hint: 'Optional: order/ord_…', pointer: '/match/subject' },
            member('subject'),
          ),
        ]}
        {target === 'webhook' &&
          ofForm.choice(
            { id: 'fault-webhook', label: 'Webhooks', pointer: isLater ? undefined : '/match/webhook' },
            editable(isLater ? LATER : form.value.webhook, (value) => change({ webhook: value === LATER ? '' : value })),
            [
              [CARRIER, 'of the carrier'],
              ...webhooks.map((one) => [one, `to ${one}`] as const),
              [LATER, 'to a receiver that is registered later'],
            ],
          )}
        {target === 'webhook' &&
          isLater &&
          ofForm.text({ id: 'fault-webhook-later', label: 'Name of the webhook', pointer: '/match/webhook' }, member('webhook'), {
            maxLength: 40,
          })}
        {target === 'webhook' &&
          form.value.webhook === CARRIER &&
          ofForm.choice({ id: 'fault-scan', label: 'Scan', pointer: '/match/status' }, member('scan'), [
            ANY,
            ...faultRules.scans.map(asIs),
          ])}
        {ofForm.choice(
          { id: 'fault-kind', label: 'What goes wrong', hint: effect, pointer: '/fault/kind' },
          editable(kind, (value) => change({ kind: kinds.find((one) => one === value) ?? kind, members: {} })),
          kinds.map((one) => [one, FAULT_KINDS[one].title] as const),
        )}
        {members.map(({ name: one, label, value: shown, hint, choices }) => {
          const props = { key: `${kind} ${one}`, id: `fault-member-${one}`, label, hint, pointer: `/fault/${one}` };
          const typed = form.value.members;
          const value = editable(shown, (given) => change({ members: { ...typed, [one]: given } }));
          return choices ? ofForm.choice(props, value, choices) : ofForm.text(props, value);
        })}
        {ofForm.text(
          { id: 'fault-times', label: 'How often', hint: 'Number of strikes; empty: until it is switched off', pointer: '/times' },
          member('times'),
        )}
        {ofForm.text(
          {
            id: 'fault-skip',
            label: 'First let pass',
            hint: 'Optional: number of calls or messages before the first strike',
            pointer: '/skip',
          },
          member('skip'),
        )}
        {ofForm.text(
          { id: 'fault-probability', label: 'Probability', hint: 'Optional, above 0 and up to 1; needs a seed', pointer: '/probability' },
          member('probability'),
        )}
        {ofForm.text(
          { id: 'fault-seed', label: 'Seed', hint: 'Optional: the same seed gives the same strikes', pointer: '/seed' },
          member('seed'),
        )}
        <p class="line">
          <button type="submit" class="primary" disabled={isCutOff()}>
            Set the fault
          </button>
        </p>
      </form>
    </Card>
  );
}
