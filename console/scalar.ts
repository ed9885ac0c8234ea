interface Route {
  readonly url: string;
  readonly handler: (request: object, reply: { header(): { send(text: string): void } }) => void;
}

/** The one script that draws both references: 4 MB. */
export const scalarScript = async (): Promise<string> => scriptOf((await import('@scalar/fastify-api-reference')).default);

/**
 * The package carries its script inside a plugin for another server, and nowhere else. Called with an object that has `route`, the plugin
 * hands it out.
 * @throws Error when it does not
 */
export function scriptOf(plugin: unknown): string {
  let script: string | undefined;
  const route = ({ url, handler }: Route): void => {
    if (!url.endsWith('.js')) return;
    const send = (text: string): void => {
      script = text;
    };
    handler({}, { header: () => ({ send }) });
  };
  const register = plugin as (server: object, options: object, done: () => void) => void;
  register({ route }, { configuration: { url: '/openapi.json' } }, () => {});
  if (script === undefined) throw new Error('@scalar/fastify-api-reference hands out no script.');
  return script;
}
