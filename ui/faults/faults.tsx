import { useState } from 'preact/hooks';
import { control, drawn, faults, isCutOff, isUsedUp, linkHere, type Output, useRead, useResource, withQuery } from '../data/data.ts';
import { Badge, Card, Choice, counted, PageHead, Refresh, rehearsalTime } from '../kit/kit.ts';
import { readWebhooks } from '../webhooks/webhook-read.ts';
import { FaultRuleForm } from './fault-form.tsx';
import { ruleInWords } from './fault-rule.ts';
import { dropAllFaults, dropFault, type FaultPreset, type SetFault, setPreset } from './fault-switch.ts';
import css from './faults.module.css';
import { presetsOfWebhook } from './webhook-presets.ts';

/** What goes wrong in a rehearsal: switches under business names, rules of one's own, and what they withhold. */
export function Faults() {
  const presets = useRead('list-fault-presets');
  const registered = useResource('webhooks', readWebhooks);
  const webhooks = registered.value?.map(({ name }) => name) ?? [];
  const [chosen, choose] = useState<string>();
  const receiver = webhooks.find((name) => name === chosen) ?? webhooks[0];
  const ofReceiver = receiver === undefined ? [] : presetsOfWebhook(receiver);
  const set = faults.value ?? [];
  const usedUp = set.filter(isUsedUp).length;
  const hits = set.reduce((sum, fault) => sum + fault.hits, 0);
  const words = [`${counted(set.length - usedUp, 'fault')} set`, usedUp > 0 && `${usedUp} used up`, counted(hits, 'strike')];
  const others = set.filter(({ name }) => presets.value && [...presets.value.items, ...ofReceiver].every(({ id }) => id !== name));
  return (
    <div class="stack">
      <PageHead title="Faults">
        <p class="line">
          <span class="muted">{set.length === 0 ? 'Nothing goes wrong on purpose.' : words.filter(Boolean).join(', ')}</span>
          <button type="button" disabled={isCutOff() || set.length === 0} onClick={() => void dropAllFaults()}>
            All off
          </button>
        </p>
      </PageHead>
      <div class="over">
        <div class="stack">
          {drawn(presets, ({ items }) =>
            groupsOf(items).map(([group, ofGroup]) => (
              <Card key={group} title={group}>
                <Switches presets={ofGroup} set={set} />
              </Card>
            )),
          )}
          {receiver !== undefined && (
            <Card
              title="Registered webhooks"
              aside={
                <Choice
                  attributes={{ 'aria-label': 'Receiver' }}
                  value={receiver}
                  choices={webhooks.map((name) => [name, `to ${name}`] as const)}
                  onChange={choose}
                />
              }
            >
              <Switches presets={ofReceiver} set={set} />
            </Card>
          )}
        </div>
        <div class="stack">
          <OwnRules set={others} />
          <WithheldCard set={set} presets={[...(presets.value?.items ?? []), ...webhooks.flatMap(presetsOfWebhook)]} />
          <FaultRuleForm webhooks={webhooks} />
        </div>
      </div>
    </div>
  );
}

const groupsOf = (presets: readonly FaultPreset[]): [string, FaultPreset[]][] => [...Map.groupBy(presets, ({ group }) => group)];

const Switches = ({ presets, set }: { presets: readonly FaultPreset[]; set: readonly SetFault[] }) => (
  <ul class={`items ${css.switches}`}>
    {presets.map((preset) => (
      <PresetRow key={preset.id} preset={preset} set={set.find(({ name }) => name === preset.id)} />
    ))}
  </ul>
);

function PresetRow({ preset, set }: { preset: FaultPreset; set: SetFault | undefined }) {
  const { id, title, effect, rule } = preset;
  const toggle = (): Promise<void> => (set ? dropFault(id, title) : setPreset(preset));
  return (
    <li class={set ? css.on : undefined}>
      <button
        type="button"
        class={css.switch}
        role="switch"
        aria-checked={set ? 'true' : 'false'}
        aria-describedby={`${id}-effect`}
        disabled={isCutOff()}
        onClick={() => void toggle()}
      >
        <span class={css.knob} aria-hidden="true" />
        <span class={css.what}>{title}</span>
      </button>
      <Hits fault={set} />
      <p class="small" id={`${id}-effect`}>
        {effect}
      </p>
      <p class="muted small brk">
        <code>{ruleInWords(set ?? rule)}</code>
      </p>
    </li>
  );
}

/** How often it struck, as a link to the traces that it struck. */
function Hits({ fault }: { fault: SetFault | undefined }) {
  if (!fault) return null;
  if (fault.hits === 0)
    return <Badge tone="warn">{fault.registered === false ? 'on, webhook not registered yet' : 'on, not struck yet'}</Badge>;
  return (
    <a class="badge warn" href={withQuery(linkHere('activity'), { fault: fault.name })}>
      <span aria-hidden="true">⚡</span>struck {counted(fault.hits, 'time')}
      {isUsedUp(fault) ? ', used up' : ''}
    </a>
  );
}

function OwnRules({ set }: { set: readonly SetFault[] }) {
  if (set.length === 0) return null;
  return (
    <Card title="Other rules">
      <ul class={`items ${css.switches}`}>
        {set.map((fault) => (
          <li key={fault.name} class={css.on}>
            <span class={`${css.what} brk`}>{fault.name}</span>
            <Hits fault={fault} />
            <p class="muted small brk">
              <code>{ruleInWords(fault)}</code>
            </p>
            <p>
              <button type="button" disabled={isCutOff()} onClick={() => void dropFault(fault.name)}>
                Switch off<span class="unseen"> {fault.name}</span>
              </button>
            </p>
          </li>
        ))}
      </ul>
    </Card>
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
  return (
    <Card title="Withheld" aside={<Refresh {...settled} />}>
      <ul class={`items ${css.switches}`}>
        {withheld.map(({ what, id, type, subject, fault, until }) => (
          <li key={id}>
            <span class={`${css.what} brk`}>{type?.replace('com.unified-commerce.', '') ?? `${what} ${id}`}</span>
            <Badge tone="event">{what}</Badge>
            <p class="muted small brk">
              {[
                subject,
                `by “${titleOf(fault)}”`,
                until === undefined ? 'until it is switched off' : `until ${rehearsalTime(until)} or until it is switched off`,
              ]
                .filter(Boolean)
                .join(', ')}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
