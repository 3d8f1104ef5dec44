/**
 * Whether the host of a URL is this machine: `localhost`, a name below it (RFC 6761 §6.3), or a loopback
 * address. Only there is plain http as secure as https.
 */
export const isLocalHost = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127\.\d+\.\d+\.\d+$/.test(hostname)
