// A receiver of events: verifies the signature, answers 204, and prints what came. Usage: node receiver.mjs <port>
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const print = (line) => process.stdout.write(`${line}\n`);

// The public secret of `estate listen`. Set your own with --secret.
const webhook = new Webhook(process.env.ESTATE_WEBHOOK_SECRET ?? 'whsec_cHVibGljIGRlbW8gc2VjcmV0IG9mIGxpc3Rlbg==');

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
    print(`received ${event.type} ${event.subject}`);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(401).end(error.message);
  }
}).listen(Number(process.argv[2] ?? 3000), () => print('listening'));
