/** Longest user agent that is kept, in characters. */
export const USER_AGENT_LENGTH = 256

/**
 * A `User-Agent` header as it is kept: without control characters, which have no place in a log that people read, and
 * not longer than anybody needs. Null where nothing is left.
 */
export const keptUserAgent = (header: string | undefined): string | null => {
  const text = (header ?? '').replace(/\p{Cc}/gu, '').trim()
  return text === '' ? null : text.slice(0, USER_AGENT_LENGTH).trimEnd()
}
