/**
 * What Schemathesis found, and the reasons for which a finding is accepted: those below, and those of
 * `tests/support/contract/reasons.ts`.
 */
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'
import { reasonFor } from '../../support/contract/reasons.ts'
import { openApiFile } from './tools.ts'

interface Finding {
  readonly check: string
  readonly operation: string
  readonly status: number
  readonly code: string
  readonly message: string
  /** What the check says about it. */
  readonly said: string
}
interface Accepted {
  readonly why: string
  readonly is: (finding: Finding) => boolean
}

const { paths } = parse(readFileSync(openApiFile, 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
/** Whether another path of the document, with parameters, has the method at the path of an operation. */
const hasOther = (operation: string, method: string): boolean => {
  const [, path = ''] = operation.split(' ')
  return Object.entries(paths).some(
    ([template, methods]) =>
      method.toLowerCase() in methods &&
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
}

const accepted: readonly Accepted[] = [
  {
    why: 'A method that is not listed gets 404 ERR_NO_ROUTE, as the document states.',
    is: ({ check, code }) => check === 'unsupported_method' && code === 'ERR_NO_ROUTE',
  },
  {
    why: 'The path is also one with a parameter, which has the method.',
    is: ({ check, operation, said }) =>
      check === 'unsupported_method' &&
      hasOther(operation, /^Unsupported method (\w+)/.exec(said)?.[1] ?? ''),
  },
  {
    why: 'An If-Match that does not name the current version is refused with 412, whatever it is.',
    is: ({ check, code }) => /^(?:positive|negative)_data/.test(check) && code === 'ERR_STALE',
  },
  {
    why: 'The Idempotency-Key was used for another request.',
    is: ({ check, message }) => check === 'positive_data_acceptance' && message.startsWith('Idempotency-Key'),
  },
  {
    why: 'Cursors are opaque: a client has those that a list returned.',
    is: ({ check, message }) => check === 'positive_data_acceptance' && message.startsWith('cursor: '),
  },
  {
    why: 'No ceremony was begun.',
    is: ({ check, code }) => check === 'positive_data_acceptance' && code === 'ERR_CEREMONY_EXPIRED',
  },
  {
    why: 'Unknown fields of a credential may be anything, but NUL and broken surrogates cannot be stored.',
    is: ({ check, message }) =>
      check === 'positive_data_acceptance' && /without NUL characters/.test(message),
  },
  {
    why: 'A deleted service account or user stays readable, with the status deleted.',
    is: ({ check, operation }) =>
      check === 'use_after_free' && /^DELETE \/(?:service-accounts|users)\/\{id\}$/.test(operation),
  },
  {
    why: 'What exists or does not, and what no JSON schema can say.',
    is: ({ check, message }) => check === 'positive_data_acceptance' && reasonFor(message) !== null,
  },
]

interface Scenario {
  readonly recorder: {
    readonly interactions?: Readonly<
      Record<
        string,
        { readonly response?: { status_code: number; content?: { $base64?: string } | null } | null }
      >
    >
    readonly checks?: Readonly<
      Record<
        string,
        readonly {
          readonly name: string
          readonly status: string
          readonly failure_info?: {
            readonly failure: { readonly operation: string; readonly message: string }
          } | null
        }[]
      >
    >
  }
}
interface Line {
  readonly ScenarioFinished?: Scenario
  readonly NonFatalError?: {
    readonly label: string
    readonly value: { readonly type: string; readonly message: string }
  }
  readonly FatalError?: unknown
}

const textOf = (content: unknown): string =>
  typeof content === 'object' && content !== null && '$base64' in content
    ? Buffer.from(String(content.$base64), 'base64').toString()
    : ''

const errorIn = (content: unknown): { readonly code: string; readonly message: string } => {
  try {
    const { error } = JSON.parse(textOf(content)) as { error: { code: string; message: string } }
    return { code: error.code, message: error.message }
  } catch {
    return { code: '', message: '' }
  }
}

export interface Report {
  readonly requests: number
  /** How many findings each reason covers. */
  readonly reasons: ReadonlyMap<string, number>
  /** Findings that no reason covers. */
  readonly unexpected: ReadonlyMap<string, number>
}

/** Reads a report in the format ndjson. */
export const readReport = async (path: string): Promise<Report> => {
  const reasons = new Map<string, number>()
  const unexpected = new Map<string, number>()
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  let requests = 0
  for await (const text of createInterface({ input: createReadStream(path) })) {
    const { ScenarioFinished: scenario, NonFatalError: error, FatalError: fatal } = JSON.parse(text) as Line
    if (fatal !== undefined) count(unexpected, text)
    // The same request had another answer the second time: what it created was there.
    if (error !== undefined && error.value.type !== 'FlakyFailure')
      count(unexpected, `${error.label}: ${error.value.message}`)
    const { interactions = {}, checks = {} } = scenario?.recorder ?? {}
    requests += Object.keys(interactions).length
    for (const [id, results] of Object.entries(checks))
      for (const { name: check, failure_info: info } of results) {
        if (info === undefined || info === null) continue
        const response = interactions[id]?.response
        const { operation, message: said } = info.failure
        const status = response?.status_code ?? 0
        const finding = { check, operation, status, said, ...errorIn(response?.content) }
        const reason = accepted.find((each) => each.is(finding))?.why
        if (reason !== undefined) count(reasons, reason)
        else count(unexpected, JSON.stringify(finding))
      }
  }
  return { requests, reasons, unexpected }
}
