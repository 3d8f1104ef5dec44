/**
 * Only characters that an address bar shows unchanged: no space or control character (URL parsers drop some),
 * no backslash.
 */
const plain = /^\/[\x21-\x5b\x5d-\x7e]*$/

/**
 * A page of this service to continue to, from an untrusted parameter: the path that the browser finally requests.
 * @returns undefined for anything but an absolute path on this origin
 */
export const ownPath = (requested: string | undefined, publicUrl: string): string | undefined => {
  if (requested === undefined || !plain.test(requested) || !URL.canParse(requested, publicUrl))
    return undefined
  const { origin, pathname, search, hash } = new URL(requested, publicUrl)
  // `/..//elsewhere` becomes `//elsewhere` once its dots are gone, and that names another host.
  if (origin !== new URL(publicUrl).origin || pathname.startsWith('//')) return undefined
  return `${pathname}${search}${hash}`
}
