/**
 * Asks this container's own process whether it is ready; exit code 0 says so, anything else is printed for `docker inspect`.
 * JavaScript and one built-in module: it runs every few seconds in every container.
 */
import { get } from 'node:http';

const { SERVICE = '', PORT = '', GATEWAY_PORT = '', TOUCHPOINT_PORT = '' } = process.env;
const port =
  { '': GATEWAY_PORT || 8080, gateway: GATEWAY_PORT || 8080, 'touchpoint-mock': TOUCHPOINT_PORT || 15_115 }[SERVICE] ?? (PORT || 8080);

const failed = (why) => {
  process.stdout.write(`${why}\n`);
  process.exit(1);
};
get({ host: '127.0.0.1', port, path: '/readyz', timeout: 2_000 }, (answer) => {
  if (answer.statusCode === 200) process.exit(0);
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  answer.on('end', () => failed(`${answer.statusCode} ${text}`));
})
  .on('timeout', () => failed(`Nothing answered within two seconds on port ${port}.`))
  .on('error', (error) => failed(error.message));
