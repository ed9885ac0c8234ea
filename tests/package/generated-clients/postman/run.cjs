/** Places an order with a collection: `node run.cjs collection.json`. It edits what a person would edit: ids, and the token of the collection. */
const { readFileSync } = require('node:fs');
const newman = require('newman');

const [, , file, token, ...kept] = process.argv;
const collection = JSON.parse(readFileSync(file, 'utf8'));
const { paths } = JSON.parse(readFileSync('../estate.json', 'utf8'));

/** The requests of an order, with the ids that each one takes from the answers of earlier ones. */
const STORY = [
  ['Create Basket', 'POST /baskets', {}, 'basket = body.id'],
  ['Add Line to Basket', 'POST /baskets/{id}/lines', { id: 'basket' }],
  ['Checkout Basket', 'POST /baskets/{id}/checkout', { id: 'basket' }],
  ['Create Order', 'POST /orders', { basketId: 'basket' }, 'order = body.id'],
  ['Authorize Payment', 'POST /payments/authorizations', { orderId: 'order' }],
  ['Confirm Order', 'POST /orders/{id}/confirm', { id: 'order' }],
  ['Get Order', 'GET /orders/{id}', { id: 'order' }],
];

const requests = [];
const collect = (items) => {
  for (const item of items) item.item ? collect(item.item) : requests.push(item);
};
collect(collection.item);

/** A body with invented values is replaced by the example of the document. */
function bodyOf(written, place, ids) {
  if (written === undefined) return undefined;
  const [method, path] = place.split(' ');
  const example = paths[path][method.toLowerCase()].requestBody.content['application/json'].example;
  const body = kept.includes('bodies') ? JSON.parse(written) : example;
  for (const [member, name] of Object.entries(ids)) if (member in body) body[member] = `{{${name}}}`;
  return JSON.stringify(body);
}

function edited([name, place, ids, stored]) {
  const item = requests.find((one) => one.name === name);
  const { request } = item;
  for (const variable of request.url.variable) variable.value = `{{${ids[variable.key]}}}`;
  const raw = bodyOf(request.body?.raw, place, ids);
  if (raw !== undefined) request.body.raw = raw;
  if (!kept.includes('headers')) request.header = request.header.filter(({ key }) => key !== 'If-Match');
  if (!kept.includes('headers')) request.url.query = request.url.query.filter(({ key }) => key !== 'dryRun');
  const [variable, member] = stored?.split(' = body.') ?? [];
  const exec = variable ? [`pm.collectionVariables.set('${variable}', pm.response.json().${member});`] : [];
  return { ...item, event: [{ listen: 'test', script: { type: 'text/javascript', exec } }] };
}

const envVar = [{ key: 'bearerToken', value: token }];
newman.run({ collection: { ...collection, item: STORY.map(edited) }, envVar, bail: true }, (error, { run }) => {
  if (error) throw error;
  for (const { item, response } of run.executions) process.stdout.write(`${item.name} ${response.code}\n`);
  const last = JSON.parse(run.executions.at(-1).response.stream.toString());
  process.stdout.write(`${last.state} ${last.paymentStatus}\n`);
});
