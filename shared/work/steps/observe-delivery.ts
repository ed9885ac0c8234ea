import { topicOf } from '../../catalog/applications.ts';
import { nameOf } from '../../catalog/event-names.ts';
import { objects } from '../../catalog/objects.ts';
import type { EstateEvent } from '../../events/envelope.ts';
import type { SpanStart } from '../../observability/observer.ts';
import { withoutFailing } from '../../process/harmless.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, Delivery, JournaledJob } from '../job.ts';
import type { Step } from './step.ts';

export const observeDelivery =
  ({ application, observer, log }: ApplicationParts): Step<Delivery & JournaledJob, Delivery & JournaledJob, Answered> =>
  async (job, rest) => {
    const { event, hop } = job;
    const span = observer.tracer?.start(processSpan(application, event));
    const context = span ? { ...job.context, traceparent: span.traceparent } : job.context;
    let done = false;
    try {
      const answer = await rest({ ...job, context });
      done = true;
      return answer;
    } finally {
      withoutFailing(log, 'observing an event', () => {
        span?.end(done ? undefined : 'failed');
        observer.consumed({ type: nameOf(event.type), done, ms: performance.now() - hop.started });
      });
    }
  };

function processSpan(application: string, { id, type, source, subject, traceparent }: EstateEvent): SpanStart {
  const about = objects.find((object) => subject.startsWith(`${object.type}/`));
  const topic = about ? topicOf(about.domain) : 'unknown';
  return {
    kind: 'consumer',
    name: `process ${topic}`,
    parent: traceparent,
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.consumer.group.name': application,
      'messaging.destination.name': topic,
      'messaging.message.id': id,
      'cloudevents.event_id': id,
      'cloudevents.event_source': source,
      'cloudevents.event_type': type,
      'cloudevents.event_subject': subject,
    },
  };
}
