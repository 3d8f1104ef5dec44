import type { TestService } from '../service/service.ts'
import { until } from '../until.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- responses are checked by expectations, not by types
type Json = any

/** Waits until the audit trail has caught up with the log. */
export const audited = async (service: TestService, consumer = 'audit'): Promise<void> => {
  const head = await service.core.eventLog.head()
  await until(
    () => {
      service.core.hurry(consumer)
      return service.core.consumers().some(({ name, status }) => name === consumer && status.position >= head)
    },
    10_000,
    `${consumer} at ${head}`,
  )
}

/** The lines of an NDJSON response. */
export const linesOf = (text: unknown): Json[] =>
  String(text)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
