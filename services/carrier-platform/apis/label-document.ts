import { labelDocument as labelDocumentApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { shipments } from '../collections.ts';

const FILE = /^([0-9a-f]+)\.pdf$/;

/** The document is drawn on demand: its content follows from the parcel and is fixed once the label is made. */
export const labelDocument = handle(labelDocumentApi)(async ({ params: { file } }, { work }) => {
  const [, token] = FILE.exec(file) ?? [];
  const shipment = token === undefined ? undefined : await work.findUnique(shipments, 'labelToken', token);
  const made = shipment?.events.find(({ status }) => status === 'label-created');
  if (!shipment?.trackingNumber || !made) throw notFound('label', file);
  // The drawing libraries are large. Loaded with the first label, they do not delay the start.
  const { drawLabel } = await import('../label/label-document.ts');
  const document = await drawLabel({ ...shipment, trackingNumber: shipment.trackingNumber, labelledAt: made.occurredAt });
  return document.toString('base64');
});
