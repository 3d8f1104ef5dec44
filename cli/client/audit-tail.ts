/** The end of the audit trail, and what is added to it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { AdminApi, ApiRecord } from './admin-api.ts'
import { printable } from './http.ts'

const RECONNECT_MS = 2000

const filterNames = ['action', 'actorId', 'targetType', 'targetId', 'correlationId', 'q'] as const

/**
 * Reads filters such as `action=user.*`.
 * @throws CliError for an unknown filter
 */
export const auditFilters = (written: readonly string[]): URLSearchParams => {
  const query = new URLSearchParams()
  for (const text of written) {
    const [name = '', ...value] = text.split('=')
    if (!filterNames.some((known) => known === name) || value.length === 0)
      throw new CliError(
        exitCodes.usage,
        `--filter: expected one of ${filterNames.map((known) => `${known}=…`).join(', ')}, got ${text}`,
      )
    query.set(name, value.join('='))
  }
  return query
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An entry on one line of a terminal. */
export const auditLine = (entry: ApiRecord): string => {
  const who = textOf(entry['actorName'])
  const time = textOf(entry['time']).slice(0, 19).replace('T', ' ')
  return printable(`${time}  ${who === '' ? 'the service' : who}: ${textOf(entry['summary'])}`)
}

/**
 * @param lines how many of the newest entries to show first
 * @param follow whether to wait for more; then it ends only with an error of the service or of the key
 */
export const tailAudit = async (
  api: AdminApi,
  filters: URLSearchParams,
  lines: number,
  follow: boolean,
  show: (entry: ApiRecord) => void,
): Promise<void> => {
  const page = async (query: URLSearchParams, limit: number): Promise<readonly ApiRecord[]> => {
    const sent = new URLSearchParams(query)
    sent.set('limit', String(limit))
    const answer: unknown = await api.send('GET', `/audit?${sent.toString()}`)
    return answer as readonly ApiRecord[]
  }
  const newest = await page(filters, lines)
  for (const entry of [...newest].reverse()) show(entry)
  if (!follow) return
  // Without an entry that matches, everything after the newest entry of all is news.
  const last = newest[0] ?? (await page(new URLSearchParams(), 1))[0]
  let after = textOf(last?.['id'])
  for (;;) {
    const query = new URLSearchParams(filters)
    if (after !== '') query.set('after', after)
    try {
      for await (const entry of api.stream(`/audit?${query.toString()}`)) {
        show(entry)
        after = textOf(entry['id'])
      }
    } catch (error) {
      // The service restarts, or a proxy has closed the connection.
      if (!(error instanceof CliError) || error.exitCode !== exitCodes.unreachable) throw error
    }
    await sleep(RECONNECT_MS)
  }
}
