import { type Cell, FAMILIES, type Family, type Finding, type HardenRun, type Site, VERDICTS } from '../../rehearsal/harden/run.ts';

/** Misfortunes by family, with their labels. */
const MISFORTUNES: Readonly<Record<Family, Readonly<Record<string, string>>>> = {
  absent: {
    'outage-retry-after': 'The application answers 503 with Retry-After.',
    outage: 'The application answers 503.',
    'status-500': 'The application answers 500.',
    'status-429': 'The application answers 429.',
    refused: 'The connection is refused.',
    slow: 'The answer is slower than the client’s patience.',
  },
  'lost-answers': {
    'lost-504': 'The answer is lost (504).',
    'lost-connection': 'The connection breaks before the answer.',
    'lost-half': 'The connection breaks after half of the body.',
  },
  delivery: {
    twice: 'The event arrives twice.',
    late: 'The event arrives ten minutes late.',
    reordered: 'The event arrives after its successor.',
    'next-day': 'The event arrives a day later.',
  },
  forged: { 'foreign-signature': 'A message has a foreign signature.', 'old-timestamp': 'A message has an old timestamp.' },
  credentials: { expired: 'The access token expires before the call.' },
  permitted: {
    'unknown-member': 'The answer has an unknown member.',
    'other-order': 'Members and items come in another order.',
    'absent-member': 'An optional member is absent.',
    'smallest-page': 'A list comes in pages of one item.',
    'timestamp-form': 'Times have an offset and microseconds.',
  },
  forbidden: {
    'total-off': 'A total is off by one cent.',
    html: 'The answer is HTML with status 200.',
    'event-missing': 'An event is missing.',
  },
  calendar: { midnight: 'The story begins before midnight.', 'leap-day': 'The story begins on 29 February.' },
};

const CALL_FAMILIES = ['absent', 'lost-answers', 'credentials', 'permitted', 'forbidden'] as const;
const DELIVERY_FAMILIES = ['delivery', 'forged', 'permitted', 'forbidden'] as const;
const familiesAt = ({ kind }: Site): readonly Family[] =>
  kind === 'start' ? ['calendar'] : kind === 'call' ? CALL_FAMILIES : DELIVERY_FAMILIES;

/** All misfortunes at all sites, none of them tried. */
function planOf(sites: readonly Site[]): Cell[] {
  const cells: Cell[] = [];
  for (const site of sites)
    for (const family of familiesAt(site))
      for (const [misfortune, label] of Object.entries(MISFORTUNES[family]))
        cells.push({ id: `C${cells.length + 1}`, site: site.id, family, misfortune, label });
  return cells;
}

const SITES: readonly Site[] = [
  { id: 'start', kind: 'start', label: 'Start of the story' },
  { id: 'create-basket-api#1', kind: 'call', label: 'Create Basket' },
  { id: 'checkout-basket-api#1', kind: 'call', label: 'Check Out Basket' },
  { id: 'authorize-payment-api#1', kind: 'call', label: 'Authorize Payment' },
  { id: 'confirm-order-api#1', kind: 'call', label: 'Confirm Order' },
  { id: 'webhook copy order-created#1', kind: 'delivery', label: 'order-created to the webhook copy' },
  { id: 'webhook copy order-confirmed#1', kind: 'delivery', label: 'order-confirmed to the webhook copy' },
];

type Outcome = Partial<Omit<Cell, 'id' | 'site' | 'family' | 'misfortune' | 'label'>>;
const survived: Outcome = { verdict: 'survived', reason: 'Books and check are equal to the baseline.', exitCode: 0, ms: 130 };

/** The verdicts other than survived, by site and misfortune. */
const TROUBLE: Readonly<Record<string, Outcome>> = {
  'confirm-order-api#1 lost-504': {
    verdict: 'twice',
    reason: 'There are two orders for one basket.',
    exitCode: 0,
    finding: 'F1',
    rehearsal: 'harden-c50',
    differences: [
      { what: 'orders confirmed', baseline: '1', tried: '2' },
      { what: 'money authorised EUR', baseline: '30.88', tried: '61.76' },
      { what: 'stock reserved mug-blue', baseline: '2', tried: '4' },
    ],
  },
  'confirm-order-api#1 lost-connection': { verdict: 'twice', exitCode: 0, finding: 'F1', reason: 'There are two orders for one basket.' },
  'confirm-order-api#1 lost-half': { verdict: 'failed-cleanly', exitCode: 1, reason: 'One repetition in the same rehearsal completed it.' },
  'authorize-payment-api#1 status-429': { verdict: 'failed-cleanly', exitCode: 1 },
  'create-basket-api#1 expired': { verdict: 'not-struck', exitCode: 0 },
  'checkout-basket-api#1 slow': { verdict: 'unstable', exitCode: 0, finding: 'F5', reason: 'Three tries: survived, survived, half.' },
  'webhook copy order-created#1 twice': {
    verdict: 'wrong',
    exitCode: 0,
    finding: 'F2',
    rehearsal: 'harden-c71',
    reason: 'The check differs.',
    differences: [{ what: 'check orders', baseline: '1', tried: '2' }],
  },
  'webhook copy order-created#1 foreign-signature': {
    verdict: 'silent',
    exitCode: 0,
    finding: 'F3',
    reason: 'The receiver answered 204 to a message with a foreign signature.',
    differences: [{ what: 'answer to the forged message', baseline: '4xx', tried: '204' }],
  },
  'start leap-day': { verdict: 'stuck', finding: 'F4', reason: 'The command was stopped after 1.6 s.' },
};

const FINDINGS: readonly Finding[] = [
  {
    id: 'F1',
    verdict: 'twice',
    site: 'confirm-order-api#1',
    cells: [],
    paragraph:
      'Confirm Order was carried out and its answer lost. Your client sent it again after 2.0 s with another Idempotency-Key. There are two orders for one basket.',
    remedy: 'Send a repetition with the Idempotency-Key of the first try.',
    repeat: '',
    scenario: 'export default {};\n',
    files: ['F1.ts', 'F1.estate'],
  },
  {
    id: 'F2',
    verdict: 'wrong',
    site: 'webhook copy order-created#1',
    cells: [],
    paragraph: 'order-created arrived twice with one id. Your copy has two orders, the OMS has one.',
    remedy: 'Keep the ids of handled events, and skip an event that was handled.',
    repeat: '',
  },
  {
    id: 'F3',
    verdict: 'silent',
    site: 'webhook copy order-created#1',
    cells: [],
    paragraph: 'A message with a foreign signature was answered with 204.',
    remedy: 'Verify the signature of each message before reading it, and answer 401 when it is wrong.',
    repeat: '',
    accepted: true,
  },
  {
    id: 'F4',
    verdict: 'stuck',
    site: 'start',
    cells: [],
    paragraph: 'The story began on 29 February. The command did not end.',
    remedy: 'Give each request a time limit.',
    repeat: '',
  },
  {
    id: 'F5',
    verdict: 'unstable',
    site: 'checkout-basket-api#1',
    cells: [],
    paragraph: 'Three tries had different outcomes.',
    remedy: 'Look for waits that depend on the speed of the machine.',
    repeat: '',
  },
];

/** A run whose findings have the cells that name them. */
function withFindings(run: Omit<HardenRun, 'findings'>, findings: readonly Finding[]): HardenRun {
  const found = findings.flatMap((finding) => {
    const cells = run.cells.filter((cell) => cell.finding === finding.id).map(({ id }) => id);
    return cells.length === 0 ? [] : [{ ...finding, cells, repeat: `estate harden --again ${cells[0]} -- ${run.command}` }];
  });
  return { ...run, findings: found };
}

const HEAD = {
  version: 1,
  estate: '0.1.0',
  command: 'node examples/harden/javascript/phone-order.mjs',
  startedAt: '2026-11-29T10:00:00Z',
  ms: 14_200,
  seed: 'harden',
  patience: 'P1D',
  state: 'none',
  baseline: { ms: 160, calls: 4, deliveries: 2 },
  notJudged: ['No check was given: what the user’s system stores was not checked.'],
} satisfies Partial<HardenRun>;

const tried = (cells: readonly Cell[]): Cell[] =>
  cells.map((cell) => ({ ...cell, ...(TROUBLE[`${cell.site} ${cell.misfortune}`] ?? survived) }));

/** One purchase and two deliveries, four findings, one of them accepted, and one outcome that varies. */
export const smallRun: HardenRun = withFindings({ ...HEAD, sites: [...SITES], cells: tried(planOf(SITES)) }, FINDINGS);

/** A run without a finding. */
export const soundRun: HardenRun = {
  ...smallRun,
  cells: planOf(SITES).map((cell) => ({ ...cell, ...survived })),
  findings: [],
  notJudged: [],
};

/** Ctrl-C after seventy cells. */
export const endedRun: HardenRun = withFindings(
  {
    ...HEAD,
    sites: [...SITES],
    cells: tried(planOf(SITES)).map((cell, place) => (place < 70 ? cell : (planOf(SITES)[place] ?? cell))),
    endedEarly: 'Ctrl-C.',
  },
  FINDINGS,
);

/** A run that its command still writes. */
export const runningRun: HardenRun = { ...endedRun, endedEarly: undefined };

/** 40 sites × 30 misfortunes. */
export const largeRun: HardenRun = (() => {
  const sites = Array.from({ length: 40 }, (_, place): Site => {
    const kind = place % 3 === 2 ? 'delivery' : 'call';
    const label =
      kind === 'call' ? `Capture Payment, call ${place + 1}` : `fulfillment-order-allocated to the webhook warehouse-copy (${place + 1})`;
    return { id: `site#${place}`, kind, label };
  });
  const all = FAMILIES.flatMap((family) =>
    Object.entries(MISFORTUNES[family]).map(([misfortune, label]) => ({ family, misfortune, label })),
  );
  const thirty = [...all, ...all].slice(0, 30);
  const cells = sites.flatMap((site, row) =>
    thirty.map(({ family, misfortune, label }, column): Cell => {
      const id = `C${row * 30 + column + 1}`;
      const cell = { id, site: site.id, family, misfortune, label };
      const verdict = VERDICTS[(row * 7 + column * 13) % 97] ?? 'survived';
      return VERDICTS.indexOf(verdict) < 5 ? { ...cell, verdict, finding: `F${row}` } : { ...cell, ...survived, verdict };
    }),
  );
  const findings = sites.flatMap((site, row): Finding[] => {
    const [first] = cells.filter(({ finding }) => finding === `F${row}`);
    if (first?.verdict === undefined) return [];
    const paragraph = `${site.label} was carried out and its answer lost. Your client sent it again after 2.0 s.`;
    return [
      { id: `F${row}`, verdict: first.verdict, site: site.id, cells: [], paragraph, remedy: 'Repeat with the same key.', repeat: '' },
    ];
  });
  return withFindings(
    { ...HEAD, command: 'npm test', sites, cells, ms: 118_000, baseline: { ms: 90, calls: 27, deliveries: 13 } },
    findings,
  );
})();

const ATTACK = '<img src=x onerror="document.title=1"><b>|`*_[a](b)\u0000\u001B[31m\u202Eטקסט 🎁]]>\n\n# no';
const LONG = 'W'.repeat(190);

/** A run with hostile text in each member that has text. */
export const hostileRun: HardenRun = {
  ...HEAD,
  estate: ATTACK,
  command: `${ATTACK} ${'x'.repeat(3_000)}`,
  startedAt: ATTACK,
  seed: ATTACK,
  patience: ATTACK,
  sites: [
    { id: ATTACK, kind: 'call', label: ATTACK },
    { id: LONG, kind: 'delivery', label: LONG },
  ],
  cells: [ATTACK, LONG, 'unlisted'].map((site, place) => ({
    id: `${ATTACK}${place}`,
    site,
    family: 'absent' as const,
    misfortune: ATTACK,
    label: ATTACK,
    verdict: 'wrong' as const,
    reason: ATTACK,
    rehearsal: ATTACK,
    differences: [{ what: ATTACK, baseline: LONG, tried: ATTACK }],
    finding: ATTACK,
  })),
  findings: [
    {
      id: ATTACK,
      verdict: 'wrong',
      site: ATTACK,
      cells: [`${ATTACK}0`, 'never-was'],
      paragraph: `${ATTACK} ${LONG}`,
      remedy: ATTACK,
      repeat: `${ATTACK} ${LONG}`,
      scenario: ATTACK,
      files: [ATTACK, '../../etc/passwd', 'javascript:alert(1)'],
    },
  ],
  notJudged: [ATTACK, LONG],
  endedEarly: ATTACK,
};

/** All of them, by name. */
export const hardenRuns = { smallRun, soundRun, endedRun, runningRun, largeRun, hostileRun } as const;
