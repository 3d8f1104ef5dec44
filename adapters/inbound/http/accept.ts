/** Finds which offered media type an `Accept` header prefers (RFC 9110 §12.5.1). */

interface Range {
  readonly type: string
  readonly quality: number
}

const rangeOf = (written: string): Range => {
  const [type = '', ...parameters] = written.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const number = quality === undefined ? 1 : Number(quality)
  return { type, quality: Number.isNaN(number) ? 0 : Math.min(1, Math.max(0, number)) }
}

/** How specifically a range matches a type: 3 the exact type, 2 its main type, 1 any type, 0 not at all. */
const closeness = (range: string, type: string): number =>
  range === type ? 3 : range === `${type.split('/')[0] ?? ''}/*` ? 2 : range === '*/*' ? 1 : 0

/**
 * @param offered in our order of preference, lower case, without parameters
 * @returns the first offered type if the header has no preference or accepts none: a response in another format is
 * more useful than none
 */
export const preferredType = <T extends string>(
  accept: string,
  offered: readonly [T, ...(readonly T[])],
): T => {
  const ranges = accept.split(',').map(rangeOf)
  const qualityOf = (type: string): number => {
    let best = { close: 0, quality: 0 }
    for (const range of ranges) {
      const close = closeness(range.type, type)
      if (close > best.close) best = { close, quality: range.quality }
    }
    return best.quality
  }
  let chosen = offered[0]
  let quality = qualityOf(chosen)
  for (const type of offered.slice(1)) {
    const its = qualityOf(type)
    if (its > quality) [chosen, quality] = [type, its]
  }
  return chosen
}

/** Whether the client is a browser: the header names HTML and prefers no other format of this service. */
export const prefersHtml = (accept = ''): boolean =>
  accept.split(',').some((written) => rangeOf(written).type === 'text/html') &&
  preferredType(accept, ['text/html', 'application/json']) === 'text/html'

/** Whether an `Accept-Encoding` header allows gzip (RFC 9110 §12.5.3). */
export const acceptsGzip = (acceptEncoding = ''): boolean => {
  const codings = acceptEncoding.split(',').map(rangeOf)
  const coding = codings.find(({ type }) => type === 'gzip') ?? codings.find(({ type }) => type === '*')
  return coding !== undefined && coding.quality > 0
}
