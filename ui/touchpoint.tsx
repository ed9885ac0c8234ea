import './kit/tokens.css';
import './kit/base.css';
import { render, type VNode } from 'preact';
import type { PortalDescription } from '../services/touchpoint-mock/portal-description.ts';
import { PortalPage } from './touchpoint/page.tsx';
import { createPortal } from './touchpoint/portal.ts';

const root = document.getElementById('portal');
if (!root) throw new Error('The HTML page has no place for the portal.');
const show = (view: VNode): void => {
  root.replaceChildren();
  render(view, root);
};
try {
  const reply = await fetch('portal.json');
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  show(<PortalPage portal={createPortal((await reply.json()) as PortalDescription)} />);
} catch (error) {
  show(
    <p class="problem" role="alert">
      The portal could not load its cases ({(error as Error).message}). Is it still running? Reload the page to try again.
    </p>,
  );
}
