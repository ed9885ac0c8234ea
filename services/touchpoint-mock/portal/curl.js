/** A POSIX shell takes everything between single quotes as it is, but for the single quote itself. */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request as a command that can be pasted into a shell. `--data-raw`, since plain `--data` would take a leading @ for a file. */
export function curlCommand({ url, headers, body }) {
  return [
    `curl -i -X POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-raw ${quoted(body)}`,
  ].join(' \\\n');
}
