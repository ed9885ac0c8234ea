const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/** An address as this browser can reach it: a loopback address gets the host name of the page. */
export function reachable(address) {
  const url = new URL(address);
  if (LOOPBACK.includes(url.hostname)) url.hostname = location.hostname;
  return url.href.replace(/\/$/, '');
}
