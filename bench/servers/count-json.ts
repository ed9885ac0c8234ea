export interface JsonCalls {
  readonly parse: number;
  readonly stringify: number;
}

const calls = { parse: 0, stringify: 0 };
const { parse, stringify } = JSON;

/** Preloaded into the measured process: counts its calls of `JSON`, and reports them on request. */
JSON.parse = (...given: Parameters<typeof parse>) => {
  calls.parse += 1;
  return parse(...given);
};
JSON.stringify = (...given: unknown[]) => {
  calls.stringify += 1;
  return stringify(...(given as Parameters<typeof stringify>));
};

process.on('message', (message) => {
  if ((message as { readonly count?: string } | null)?.count === 'json') process.send?.({ jsonCalls: { ...calls } });
});
process.on('disconnect', () => process.exit(0));
