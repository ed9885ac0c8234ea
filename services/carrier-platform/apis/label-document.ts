import { labelDocument as labelDocumentApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { shipments } from '../collections.ts';

const FILE = /^([0-9a-f]+)\.pdf$/;

/** Drawn when it is asked for: everything on it is known from the parcel, and never changes after the label was made. */
export const labelDocument = handle(labelDocumentApi)(async ({ params: { file } }, { work }) => {
  const [, token] = FILE.exec(file) ?? [];
  const shipment = token === undefined ? undefined : await work.findUnique(shipments, 'labelToken', token);
  const made = shipment?.events.find(({ status }) => status === 'label-created');
  if (!shipment?.trackingNumber || !made) throw notFound('label', file);
  // What draws is large; loaded at the first label, it is no part of a start.
  const { labelDocument: draw } = await import('../label/label-document.ts');
  const document = await draw({ ...shipment, trackingNumber: shipment.trackingNumber, labelledAt: made.occurredAt });
  return document.toString('base64');
});
