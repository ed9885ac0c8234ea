import { applications, type Domain, domains, topicOf } from '../../catalog/applications.ts';
import type { EventDefinition } from '../../catalog/define-object.ts';
import { allEvents } from '../../catalog/events.ts';
import { objects } from '../../catalog/objects.ts';
import type { Part } from '../json-schemas.ts';
import { objectOf } from './event-messages.ts';
import { KAFKA_BINDING, ref } from './references.ts';

const eventsOf = (domain: Domain): readonly EventDefinition[] => allEvents.filter((event) => objectOf(event).domain === domain);

/** A channel per domain: its event topic. @param server the name of the server that has them @param prefix begins the name of each topic */
export const topicChannels = (server: string, prefix: string): Part =>
  Object.fromEntries(domains.map((domain) => [domain, topicChannel(domain, { server, prefix })]));

function topicChannel(domain: Domain, { server, prefix }: { readonly server: string; readonly prefix: string }): Part {
  const address = `${prefix}${topicOf(domain)}`;
  const owned = objects.filter((object) => object.domain === domain).map(({ type }) => type);
  return {
    address,
    title: address,
    description: owned.length > 0 ? `Changes of ${owned.join(', ')}.` : 'The domain has no events yet.',
    servers: [ref('servers', server)],
    messages: Object.fromEntries(eventsOf(domain).map(({ name }) => [name, ref('components', 'messages', name)])),
    bindings: { kafka: { topic: address, bindingVersion: KAFKA_BINDING } },
  };
}

/** Operations per topic: owners of objects send their events, applications receive the events that the catalog subscribes them to. */
export const topicOperations = (): Part => Object.fromEntries(domains.flatMap((domain) => [...sending(domain), ...receiving(domain)]));

function sending(domain: Domain): [string, Part][] {
  const byOwner = Map.groupBy(eventsOf(domain), (event) => objectOf(event).owner);
  return [...byOwner].map(([owner, events]) => [
    `${owner}-sends-${domain}-events`,
    {
      action: 'send',
      title: `${applications[owner].title} sends`,
      summary: `Events of the objects that the ${applications[owner].title} owns.`,
      channel: ref('channels', domain),
      messages: messageRefs(domain, events),
    },
  ]);
}

function receiving(domain: Domain): [string, Part][] {
  const subscriptions = eventsOf(domain).flatMap((event) => (event.subscribers ?? []).map((subscription) => ({ event, subscription })));
  const bySubscriber = Map.groupBy(subscriptions, ({ subscription }) => subscription.application);
  return [...bySubscriber].map(([application, received]) => [
    `${application}-receives-${domain}-events`,
    {
      action: 'receive',
      title: `${applications[application].title} receives`,
      description: received
        .map(({ event, subscription }) => `- \`${event.name}\`: ${subscription.purpose}. Reacts once to each event.`)
        .join('\n'),
      channel: ref('channels', domain),
      messages: messageRefs(
        domain,
        received.map(({ event }) => event),
      ),
    },
  ]);
}

const messageRefs = (domain: Domain, events: readonly EventDefinition[]): Part[] =>
  events.map(({ name }) => ref('channels', domain, 'messages', name));
