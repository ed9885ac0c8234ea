import { dueWork } from '../../shared/catalog/due-work.ts';
import { type JournalRecord, WEBHOOK } from '../../shared/control/journal.ts';
import { CLIENT } from '../../shared/control/sequence.ts';
import { type Money, moneyInWords } from '../../shared/domain/money.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { applicationTitle, callTitle } from '../explanations/words.ts';

/** Characters of a sentence, so that a room can read it. */
const LONGEST = 240;

/** An exchange as a sentence or two. @param from the application that caused it, or `client` */
export const exchangeSentence = (hop: JournalRecord, from: string): string =>
  inOneLine([whatHappens(hop, from), ...changedNothing(hop), ...strikes(hop)].join(' '), LONGEST);

const who = (application: string): string =>
  application === CLIENT ? 'your client' : `the ${application === 'gateway' ? application : inOneLine(applicationTitle(application), 40)}`;
const Who = (application: string): string => who(application).replace(/^./, (first) => first.toUpperCase());

function whatHappens(hop: JournalRecord, from: string): string {
  const { api, application, request } = hop;
  if (api.startsWith(WEBHOOK)) {
    const { type } = (request ?? {}) as { readonly type?: unknown };
    const event = typeof type === 'string' ? callTitle(type) : 'an event';
    return `The estate sends ${event} to your receiver “${inOneLine(api.slice(WEBHOOK.length), 40)}”. ${answer(hop)}`;
  }
  if (api.startsWith('event:')) {
    const event = `The event ${callTitle(api.slice('event:'.length))}`;
    const way = from === application || from === CLIENT ? 'reaches' : `goes from ${who(from)} to`;
    return `${event} ${way} ${who(application)}.${hop.status < 400 && hop.status > 0 ? '' : ` ${answer(hop)}`}`;
  }
  if (api.startsWith('due:')) {
    const kind = api.slice('due:'.length);
    const works: Readonly<Record<string, Readonly<Record<string, { readonly does: string }>> | undefined>> = dueWork;
    const does = works[application]?.[kind]?.does;
    const work = does === undefined ? `runs its due work ${inOneLine(kind, 40)}` : withoutDeadline(does);
    return `${Who(application)} ${work}.${hop.status < 400 && hop.status > 0 ? '' : ` ${answer(hop)}`}`;
  }
  return `${Who(from)} calls ${from === application ? 'itself' : who(application)} to ${deed(hop)}. ${answer(hop)}`;
}

/** What due work does when nobody acted first. */
const withoutDeadline = (does: string): string => does.replace(/, unless .*$/, '');

function answer({ status, response, outside }: JournalRecord): string {
  const it = outside ? 'Your system' : 'It';
  if (status === 0) return `${it} does not answer.`;
  if (status < 400) return `${it} answers ${status}.`;
  const { code } = (response ?? {}) as { readonly code?: unknown };
  const reason = typeof code === 'string' ? `: ${code.replaceAll('_', ' ')}` : '';
  return `${it} ${status >= 500 ? 'fails' : 'refuses'} with ${status}${reason}.`;
}

const changedNothing = ({ unchanged, api, status }: JournalRecord): readonly string[] =>
  unchanged === undefined || status >= 400 || !api.startsWith('event:') ? [] : ['It changes nothing.'];

const strikes = ({ faults }: JournalRecord): readonly string[] =>
  faults.length === 0 ? [] : [`The fault ${faults.map((name) => `“${inOneLine(name, 60)}”`).join(', ')} strikes.`];

/** Deeds of calls whose name is not a verb with its object. */
const DEEDS: Readonly<Record<string, string>> = {
  'Carrier Webhook': 'take news of a parcel',
  'Label Document': 'show the label',
  'Collection Code': 'show the collection code',
  'Checkout Basket': 'check out the basket',
  'Carry Out': 'carry out the sale',
  'Ensure Captured': 'ensure that the order is paid',
  'List Collectable': 'list what can be collected',
  'Get Customer 360': 'get the whole view of the customer',
};
/** Words of a name that stay as they are. */
const PROPER = new Set(['CRM']);

/** `authorise the payment of 30.88 EUR`: the name of the call, as prose spells it, with its amount or its goods. */
function deed({ api, method, status, request, response }: JournalRecord): string {
  const name = inOneLine(callTitle(api), 80);
  const [verb = '', ...rest] = name.split(' ').map((word) => (PROPER.has(word) ? word : word.toLowerCase()));
  const object = rest.join(' ').replace(/\bto basket$/, 'to the basket');
  const article = object === '' || /(?<!u)s$|^up |^out/.test(object) ? '' : 'the ';
  const plain = DEEDS[name] ?? `${verb.replace(/^authorize$/, 'authorise')} ${article}${object}`.trim();
  if (method === 'GET') return plain;
  const amount = amountIn(request, 'amount') ?? (status < 400 ? (amountIn(response, 'amount') ?? totalIn(response)) : undefined);
  if (amount) return `${plain} of ${moneyInWords(amount)}`;
  const goods = goodsIn(request);
  return goods === undefined ? plain : `${plain}: ${goods}`;
}

const memberOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>)[name] : undefined;

function amountIn(body: unknown, name: string): Money | undefined {
  const found = memberOf(body, name) as Partial<Money> | undefined;
  return Number.isSafeInteger(memberOf(found, 'amount')) && /^[A-Z]{3}$/.test(String(memberOf(found, 'currency')))
    ? (found as Money)
    : undefined;
}

const totalIn = (body: unknown): Money | undefined => amountIn(memberOf(body, 'totals'), 'total');

/** Goods that a sentence has room for. */
const MOST_GOODS = 2;

/** `2 mug-blue, 1 lamp` */
function goodsIn(request: unknown): string | undefined {
  const lines = [memberOf(request, 'lines'), memberOf(request, 'items')].find(Array.isArray) as readonly unknown[] | undefined;
  const goods = (lines ?? [request]).flatMap((line) => {
    const [sku, qty] = [memberOf(line, 'sku'), memberOf(line, 'qty')];
    return typeof sku === 'string' && Number.isSafeInteger(qty) ? [`${String(qty)} ${inOneLine(sku, 40)}`] : [];
  });
  if (goods.length === 0) return undefined;
  const more = goods.length - MOST_GOODS;
  return `${goods.slice(0, MOST_GOODS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
