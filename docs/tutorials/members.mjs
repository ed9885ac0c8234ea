// Prints members of a JSON text on standard input. `lines.0.sku` names a nested member, `items.each.type` a member of every item.
// With --keep, the members go to standard error, and the value of the first member goes to standard output.
const keep = process.argv[2] === '--keep';
const paths = process.argv.slice(keep ? 3 : 2);

let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;

/** Ends the command with a sentence. */
function fail(sentence) {
  if (sentence) process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

// The function that sent the request has explained why there is no answer. An answer without a body is a line.
if (text === '') fail();

function parsed() {
  try {
    return text.trim() === '' ? null : JSON.parse(text);
  } catch {
    return fail('The answer is not JSON. Set ESTATE_URL to the address of the gateway of an estate.');
  }
}

const root = parsed();
const refused = root !== null && typeof root.code === 'string' && root.status >= 400;

const valuesAt = (value, [step, ...rest]) => {
  if (step === undefined || value === null || value === undefined) return [value];
  return step === 'each' ? value.flatMap((item) => valuesAt(item, rest)) : valuesAt(value[step], rest);
};
// 1299 is written as 12.99 EUR, 1299 JPY or 1.299 BHD.
const decimalsOf = (currency) => new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
const isAmount = (value) => Number.isInteger(value?.amount) && typeof value?.currency === 'string';
const written = (value) => {
  if (isAmount(value)) {
    const decimals = decimalsOf(value.currency);
    return `${(value.amount / 10 ** decimals).toFixed(decimals)} ${value.currency}`;
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
};

const [first] = paths;
if (!refused && first !== undefined && valuesAt(root, first.split('.')).every((value) => value === undefined || value === null)) {
  const isEmptyList = first.split('.').includes('each') && root !== null;
  if (!isEmptyList) fail(`The answer has no ${first}.`);
}

const shown = refused ? ['status', 'code', 'detail'] : paths;
const isList = shown.some((path) => path.split('.').includes('each'));

/** Members of a list: one line per item, in columns. */
function listed() {
  const columns = shown.map((path) => valuesAt(root, path.split('.')).map(written));
  const widths = columns.map((values) => Math.max(0, ...values.map((value) => value.length)));
  return (columns[0] ?? []).map((_, row) =>
    columns
      .map((values, column) => (values[row] ?? '').padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}

/** Single members: one line each, with its name. */
function named() {
  const width = Math.max(...shown.map((path) => path.length));
  return shown.map((path) => `${path.padEnd(width)}  ${written(valuesAt(root, path.split('.'))[0])}`);
}

const lines = isList ? listed() : named();
const output = shown.length === 0 ? JSON.stringify(root, null, 2) : lines.join('\n');
(keep ? process.stderr : process.stdout).write(`${output}\n`);
if (keep && !refused) process.stdout.write(`${written(valuesAt(root, paths[0].split('.'))[0])}\n`);
