/**
 * Only characters that an address bar shows unchanged: no spaces, no control characters (URL parsers drop some) and no
 * backslashes.
 */
const plain = /^\/[\x21-\x5b\x5d-\x7e]*$/

/**
 * Returns the page of this service to continue to, from an untrusted parameter, as the path that the browser will
 * request.
 * @returns undefined for anything but an absolute path on this origin
 */
export const ownPath = (requested: string | undefined, publicUrl: string): string | undefined => {
  if (requested === undefined || !plain.test(requested) || !URL.canParse(requested, publicUrl))
    return undefined
  const { origin, pathname, search, hash } = new URL(requested, publicUrl)
  // `/..//elsewhere` is normalized to `//elsewhere`, which is another host.
  if (origin !== new URL(publicUrl).origin || pathname.startsWith('//')) return undefined
  return `${pathname}${search}${hash}`
}
