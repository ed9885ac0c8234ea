// Prints members of a JSON text on standard input. `lines.0.sku` names a nested member, `items.each.type` a member of every item.
// With --keep, the members go to standard error, and the value of the first member goes to standard output.
const keep = process.argv[2] === '--keep';
const paths = process.argv.slice(keep ? 3 : 2);

let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;

// The command before the pipe has printed why there is no answer.
if (text.trim() === '' && paths.length > 0) process.exit(1);

function parsed() {
  try {
    return text.trim() === '' ? null : JSON.parse(text);
  } catch {
    process.stderr.write(
      `The answer is not JSON: ${JSON.stringify(text.slice(0, 200))}. Check that ESTATE_URL is the address of the gateway.\n`,
    );
    process.exit(1);
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
const kept = keep && !refused ? valuesAt(root, paths[0].split('.'))[0] : undefined;
if (!keep) process.stdout.write(`${output}\n`);
else if (refused) {
  process.stderr.write(`${output}\nThe request was refused, so nothing is kept.\n`);
  process.exitCode = 1;
} else if (kept === undefined || kept === null) {
  process.stderr.write(`The answer has no member ${paths[0]}, so nothing is kept.\n`);
  process.exitCode = 1;
} else {
  process.stderr.write(`${output}\n`);
  process.stdout.write(`${written(kept)}\n`);
}
