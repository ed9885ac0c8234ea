interface Route {
  readonly url: string;
  readonly handler: (request: object, reply: { header(): { send(text: string): void } }) => void;
}

/**
 * The package carries its script inside a plugin for another server, and nowhere else. Called with an object that has `route`, the plugin
 * hands it out.
 * @throws Error when it does not
 */
export function bundleOf(plugin: unknown): string {
  let bundle: string | undefined;
  const route = ({ url, handler }: Route): void => {
    if (!url.endsWith('.js')) return;
    const send = (text: string): void => {
      bundle = text;
    };
    handler({}, { header: () => ({ send }) });
  };
  const register = plugin as (server: object, options: object, done: () => void) => void;
  register({ route }, { configuration: { url: '/openapi.json' } }, () => {});
  if (bundle === undefined) throw new Error('@scalar/fastify-api-reference hands out no script.');
  return bundle;
}
