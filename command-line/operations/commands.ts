import { ProductVerb } from '../../shared/catalog/commerce/objects.ts';
import { faultPresets } from '../../shared/catalog/control/fault-presets.ts';
import { ANY_TYPE } from '../../shared/catalog/control/operations/explanations.ts';
import { CustomerVerb } from '../../shared/catalog/customer/objects.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { ReturnVerb } from '../../shared/catalog/fulfillment/returns.ts';
import { Scan } from '../../shared/catalog/fulfillment/shipments.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { escapedControls } from '../../shared/domain/printable.ts';
import { journalDiagrams } from '../output/journal-diagrams.ts';
import { showFidelity, showHops, showInvariants, showRows } from '../output/show-answer.ts';
import { showComparison } from '../output/show-comparison.ts';
import { showExplanation } from '../output/show-explanation.ts';
import { showTimeline } from '../output/show-timeline.ts';
import { showStory } from '../output/story-page.ts';
import type { OperationCommands } from './operation-command.ts';

const eventTypes = allEvents.map(({ name }) => name);
const objectTypes = objects.map(({ type }) => type);
/** A file keeps every character of its data. */
const asFile = (file: unknown): string => escapedControls(JSON.stringify(file, null, 2));
const isSettled = ({ settled }: { readonly settled: boolean }): boolean => settled;

/** The commands of each operation of the control plane. A missing operation fails the type check. */
export const operationCommands: OperationCommands = {
  'create-rehearsal': [
    {
      words: 'rehearsals create',
      positional: ['name'],
      example: 'my-tests --idle-expiry PT2H',
      names: { 'from.snapshot': 'from-snapshot', 'from.rehearsal': 'from-rehearsal' },
    },
    {
      words: 'snapshot open',
      positional: ['from.snapshot', 'name'],
      example: 'paid continued',
      summary: 'Creates a rehearsal that continues from a snapshot. Prints its credentials.',
      names: { 'from.rehearsal': 'from-rehearsal' },
    },
    {
      words: 'rehearsals fork',
      positional: ['from.rehearsal', 'name'],
      example: 'my-tests what-if',
      summary: 'Creates a rehearsal that continues from the present world of another one. Prints its credentials.',
      names: { 'from.snapshot': 'from-snapshot' },
    },
  ],
  'list-rehearsals': {
    words: 'rehearsals list',
    columns: { name: 'name', now: 'clock', lastUsedAt: 'last used', 'contents.objects': 'objects', trouble: 'trouble' },
  },
  'read-rehearsal': { words: 'rehearsals show', example: 'default' },
  'delete-rehearsal': { words: 'rehearsals delete', example: 'my-tests', done: 'The rehearsal is deleted.' },
  'reset-rehearsal': { words: 'rehearsals reset', positional: ['rehearsal'], example: 'my-tests' },
  'save-snapshot': { words: 'snapshot save', positional: ['rehearsal'], example: 'paid' },
  'list-snapshots': {
    words: 'snapshot list',
    columns: { name: 'name', rehearsal: 'rehearsal', now: 'clock', objects: 'objects', events: 'events', takenAt: 'taken' },
  },
  'export-rehearsal': { words: 'rehearsals export', example: 'default', show: asFile },
  'read-snapshot': {
    words: 'snapshot download',
    example: 'paid',
    summary: 'Prints a snapshot as JSON: write it to a file, for snapshot upload.',
    show: asFile,
  },
  'upload-snapshot': { words: 'snapshot upload', file: 'file', example: ['paid.json', 'paid.json --dry-run'] },
  'delete-snapshot': { words: 'snapshot delete', example: 'paid', done: 'The snapshot is deleted.' },
  'read-play': {
    words: 'play',
    positional: ['type', 'id'],
    example: 'order ord_01M',
    summary:
      'Prints the story of a business object, or of the whole rehearsal, as one page that plays it on the map: write it to a file, such as story.html.',
    show: showStory,
  },
  'compare-worlds': {
    words: 'snapshot diff',
    positional: ['from', 'to'],
    example: 'paid my-tests',
    show: (output, look) => showComparison(output, look),
  },
  'read-clock': { words: 'clock show' },
  'set-clock': [
    { words: 'clock freeze', fixed: { flowing: false }, summary: 'Stops the clock of the rehearsal.' },
    { words: 'clock resume', fixed: { flowing: true }, summary: 'Lets the clock of the rehearsal flow at the pace of the wall clock.' },
  ],
  'advance-clock': { words: 'clock advance', positional: ['by'], example: 'PT15M', holds: isSettled },
  'list-clock-moves': { words: 'clock moves', columns: { number: 'number', from: 'from', to: 'to', ran: 'timers' } },
  settle: { words: 'settle', holds: isSettled },
  'list-parked': { words: 'parked list', columns: { what: 'what', key: 'key', at: 'since', error: 'error' } },
  'redrive-parked': { words: 'parked redrive', positional: ['key'] },
  'list-events': {
    words: 'events list',
    example: '--type order-confirmed',
    choices: { type: eventTypes },
    columns: { order: 'order', 'event.time': 'time', 'event.type': 'type', 'event.subject': 'subject' },
  },
  'read-event': { words: 'events show', example: 'evt_01M' },
  'wait-for-events': {
    words: 'events wait',
    positional: ['type'],
    example: 'order-confirmed --count 2 --timeout-ms 5000',
    choices: { type: eventTypes },
    columns: { order: 'order', 'event.time': 'time', 'event.type': 'type', 'event.subject': 'subject' },
    holds: ({ found }) => found,
  },
  'put-webhook': {
    words: 'webhooks set',
    positional: ['url'],
    example: ['shop http://localhost:3000/events', 'shop http://localhost:3000/events --types order-confirmed'],
    summary: 'Registers a receiver for all later events, or for some types, and prints its secret. It replaces a webhook of the same name.',
    arguments: { name: 'A name of your choice.' },
  },
  'list-webhooks': {
    words: 'webhooks list',
    columns: { name: 'name', state: 'state', url: 'url', types: 'types', deliveries: 'deliveries', waiting: 'waiting' },
  },
  'read-webhook': { words: 'webhooks show', example: 'shop' },
  'delete-webhook': { words: 'webhooks delete', example: 'shop', done: 'The webhook is deleted.' },
  'rotate-webhook-secret': { words: 'webhooks rotate', example: 'shop --keep-old-for PT1H' },
  'list-webhook-deliveries': {
    words: 'webhooks deliveries',
    example: 'shop --limit 20',
    columns: { id: 'id', state: 'state', 'event.type': 'event', 'event.subject': 'subject', nextAttemptAt: 'next attempt' },
  },
  'redeliver-webhook': { words: 'webhooks redeliver', example: 'shop 17' },
  'read-fidelity': { words: 'swaps fidelity', show: showFidelity },
  'read-answers': { words: 'swaps answers', example: 'payment-hub' },
  'list-swaps': {
    words: 'swaps list',
    columns: {
      application: 'application',
      mode: 'mode',
      url: 'url',
      calls: 'calls',
      failed: 'failed',
      'last.status': 'last',
      violations: 'violations',
    },
  },
  'check-system': { words: 'swaps check', positional: ['application'], example: 'payment-hub --url http://127.0.0.1:4000' },
  'make-call': { words: 'swaps call', example: `get-payable --application payment-hub --params '{"id":"ord_01M"}'` },
  'report-change': {
    words: 'swaps report',
    positional: ['object'],
    example: `payment --data '{"id":"pay_1","state":"voided"}'`,
    choices: { object: objectTypes },
  },
  'read-topology': {
    words: 'topology',
    // Without the calls of the flows: they are many and never change.
    show: ({ applications, seen }, look) => {
      const rows = applications.map(({ title: _title, owns: _owns, ...rest }) => rest);
      return [showRows(rows, undefined, look), showRows(seen, undefined, look)].join('\n\n');
    },
  },
  'list-object-types': {
    words: 'objects list',
    summary: 'Lists the types of business objects, or the objects of a type, newest first.',
    columns: { type: 'type', owner: 'owner', count: 'count', states: 'states' },
  },
  'list-objects': {
    words: 'objects list',
    example: 'order --state completed',
    choices: { type: objectTypes },
    columns: { id: 'id', state: 'state', label: 'label', columns: 'shows', updatedAt: 'changed' },
  },
  'list-related-objects': {
    words: 'objects related',
    example: 'order ord_01M',
    choices: { type: objectTypes },
    columns: { type: 'type', id: 'id', state: 'state', label: 'label', columns: 'shows' },
  },
  search: {
    words: 'search',
    positional: ['q'],
    example: ['ben@example.test', 'mug-blue'],
    columns: { type: 'type', id: 'id', state: 'state', label: 'label', columns: 'shows' },
  },
  'explain-object': [
    {
      words: 'why',
      example: 'ord_01M',
      summary:
        'Explains a business object: its state, what brought it there, what it waits for, and which verbs would move it now. Without a type, the id is enough.',
      inPath: { type: ANY_TYPE },
      show: showExplanation,
    },
    {
      words: 'why',
      example: 'order ord_01M',
      arguments: { type: 'The id of the object, or its type before the id.', id: 'The id, after a type.' },
      show: showExplanation,
    },
  ],
  'read-timeline': {
    words: 'timeline',
    example: ['order ord_01M', 'any ord_01M --limit 50'],
    choices: { type: [...objectTypes, ANY_TYPE] },
    show: showTimeline,
  },
  'list-life-cycles': { words: 'life-cycles', columns: { type: 'type', states: 'states' } },
  'list-names': { words: 'names' },
  'list-stock': { words: 'stock list', example: '--sku mug-blue' },
  'read-object': { words: 'objects show', example: 'customer cus_ada', choices: { type: objectTypes } },
  'read-progression': { words: 'progression show' },
  'set-progression': { words: 'progression set', example: '--warehouse immediate', noun: 'progression' },
  'play-scan': { words: 'scan', example: 'shp_01M collect', choices: { scan: Scan.options } },
  'resend-scan': { words: 'resend', example: 'shp_01M' },
  'move-return-by-hand': { words: 'returns move', example: 'ret_01M approve', choices: { verb: ReturnVerb.options } },
  'move-product-by-hand': { words: 'products move', example: 'mug-blue suspend', choices: { verb: ProductVerb.options } },
  'move-customer-by-hand': { words: 'customers move', example: 'cus_ben block', choices: { verb: CustomerVerb.options } },
  'complete-payment-action-by-hand': { words: 'payments action', positional: ['outcome'], example: 'pay_01N succeeded' },
  'count-stock-by-hand': { words: 'stock count', positional: ['onHand'], example: 'mug-blue store-01 7' },
  'open-dispute': { words: 'disputes open', positional: ['reason'], example: 'pay_01M fraudulent' },
  'close-dispute': { words: 'disputes close', positional: ['outcome'], example: 'pay_01M lost' },
  'change-product-by-hand': { words: 'products change', example: 'mug-blue --price \'{"amount":999}\'' },
  'change-promotion-by-hand': { words: 'promotions change', example: 'prm_woolly-ridge-15 --name Sale' },
  'change-voucher-by-hand': { words: 'vouchers change', example: 'WELCOME10 --enabled' },
  'change-gift-card-by-hand': { words: 'gift-cards change', example: 'gift_50 --balance \'{"amount":100}\'' },
  'change-payment-token-by-hand': { words: 'payment-tokens change', example: 'tok_timeout --outcome approve' },
  'change-customer-by-hand': { words: 'customers change', example: 'cus_ben --first-name Benno' },
  'put-fault': {
    words: 'fault set',
    example: [
      'payment-hub-down',
      'slow --application oms --kind latency --ms 400',
      'tolerant --api get-order-api --kind permitted --change unknown-member',
    ],
    summary:
      'Sets a preset by its name, or a custom fault: on calls (--application, --api), on an event (--event) or on the carrier’s webhooks (--webhook). It replaces a fault of the same name and releases the events and webhooks that it withheld.',
    arguments: { name: 'A preset (fault presets lists them), or the name of a custom fault.' },
    presets: { bodies: new Map(faultPresets.map(({ id, rule }) => [id, rule])), list: 'fault presets', thing: 'fault' },
    names: { 'match.status': 'scan-status' },
    choices: { 'match.event': eventTypes },
  },
  'list-faults': { words: 'fault list', columns: { name: 'name', fault: 'fault', match: 'strikes', times: 'times', hits: 'struck' } },
  'list-fault-presets': {
    words: 'fault presets',
    summary: 'Lists faults with business names, for fault set.',
    columns: { id: 'preset', title: 'fault', effect: 'what the caller sees' },
  },
  'delete-fault': { words: 'fault clear', example: 'slow', done: 'The fault is cleared.' },
  'delete-faults': {
    words: 'fault clear',
    summary: 'Deletes one fault by its name, or all. Events and webhooks that they withheld are sent immediately.',
    done: 'All faults are cleared.',
  },
  'read-journal': {
    words: 'journal',
    positional: ['correlationId'],
    unlessGiven: { bodies: 'false' },
    example: ['my-order --limit 20', 'my-order --bodies', 'my-order --diagram mermaid'],
    show: ({ items, truncated }, look) => showHops(items, truncated, look),
    diagrams: journalDiagrams,
  },
  'verify-sequence': {
    words: 'sequence verify',
    example: `--sequence '[{"what":"call","name":"create-order-api"},{"what":"event","name":"order-created"}]'`,
    columns: { what: 'what', name: 'name', status: 'status', at: 'clock' },
    holds: ({ holds }) => holds,
  },
  'read-story': { words: 'record', positional: ['rehearsal'], show: ({ text }) => text.trimEnd() },
  'read-hop': { words: 'hops show', example: 'req_01M' },
  'list-traces': {
    words: 'traces list',
    example: '--status ok --limit 10',
    columns: {
      startedAt: 'time',
      status: 'status',
      method: 'method',
      path: 'path',
      events: 'events',
      failed: 'failed',
      faults: 'faults',
      correlationId: 'correlation id',
    },
  },
  'list-scenarios': { words: 'scenarios list', columns: { name: 'scenario', flows: 'flows', title: 'what happens' } },
  'start-run': { words: 'runs start', positional: ['scenario'], example: 'digital-order' },
  'list-runs': {
    words: 'runs list',
    columns: { id: 'id', scenario: 'scenario', state: 'state', startedAt: 'started', failure: 'failure' },
  },
  'read-run': { words: 'runs show', example: 'run_01M', holds: ({ state }) => state !== 'failed' },
  'delete-run': { words: 'runs delete', example: 'run_01M', done: 'The run has ended.' },
  'read-books': { words: 'books', show: ({ entries }, look) => showRows(entries, undefined, look) },
  'list-verdicts': { words: 'verdicts', columns: { number: 'number', at: 'at', now: 'clock', holds: 'holds', broken: 'broken' } },
  verify: { words: 'verify', holds: ({ holds, settled }) => holds && settled, show: (outcome, look) => showInvariants(outcome, look) },
};
