/** Longest user agent that is kept, in characters. */
export const USER_AGENT_LENGTH = 256

/**
 * The stored form of a `User-Agent` header: without control characters, which do not belong in logs, and
 * truncated. Null if nothing is left.
 */
export const keptUserAgent = (header: string | undefined): string | null => {
  const text = (header ?? '').replace(/\p{Cc}/gu, '').trim()
  return text === '' ? null : text.slice(0, USER_AGENT_LENGTH).trimEnd()
}
