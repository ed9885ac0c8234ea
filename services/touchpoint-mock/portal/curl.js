/** Systems allow at least 128 KiB for a single argument. */
const LONGEST_ARGUMENT = 100_000;

/** A POSIX shell takes text between single quotes literally, except a single quote. */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The request as a shell command. `--data-raw`, because `--data` would read a leading @ as a file name. A long body is piped: it does not fit
 * into an argument, and `printf` is part of the shell.
 */
export function curlCommand({ url, headers, body }) {
  const isLong = new TextEncoder().encode(body).length > LONGEST_ARGUMENT;
  return [
    `${isLong ? `printf %s ${quoted(body)} | ` : ''}curl -i -X POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    isLong ? '  --data-binary @-' : `  --data-raw ${quoted(body)}`,
  ].join(' \\\n');
}
