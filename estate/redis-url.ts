/** Whether every part of an address of Redis, or of a list of cluster nodes, has an effect: a part that would be ignored is a mistake. */
export function isRedisUrl(text: string): boolean {
  const isMarked = text.startsWith('cluster:');
  const nodes = text.replace(/^cluster:/, '').split(/\s*,\s*/);
  return nodes.every((node) => isNode(node, isMarked || nodes.length > 1));
}

function isNode(text: string, isOfCluster: boolean): boolean {
  if (!/^rediss?:\/\/[^/]/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.search !== '' || url.hash !== '') return false;
  return (isOfCluster ? /^\/?0?$/ : /^(\/\d{0,5})?$/).test(url.pathname) && isEncoded(url.username) && isEncoded(url.password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
