/** A POSIX shell takes text between single quotes literally, except a single quote. */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request as a shell command. `--data-raw`, since `--data` would read a leading @ as a file name. */
export function curlCommand({ url, headers, body }) {
  return [
    `curl -i -X POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-raw ${quoted(body)}`,
  ].join(' \\\n');
}
