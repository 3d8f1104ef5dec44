export const USER_AGENT_LENGTH = 256

/**
 * Returns the stored form of a `User-Agent` header: truncated and without control characters. Null if nothing is left.
 */
export const keptUserAgent = (header: string | undefined): string | null => {
  const text = (header ?? '').replace(/\p{Cc}/gu, '').trim()
  return text === '' ? null : text.slice(0, USER_AGENT_LENGTH).trimEnd()
}
