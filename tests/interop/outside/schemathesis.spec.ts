/**
 * Schemathesis, with all of its checks and phases, finds nothing but what is listed here or in
 * `tests/support/contract/reasons.ts`.
 */
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { apiKey } from '../../support/api/api-keys.ts'
import { reasonFor } from '../../support/contract/reasons.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { ended, programs, pythonPackages, versions, workplace } from './tools.ts'

interface Finding {
  readonly check: string
  readonly operation: string
  readonly status: number
  readonly code: string
  readonly message: string
}
interface Accepted {
  readonly why: string
  readonly is: (finding: Finding) => boolean
}

const accepted: readonly Accepted[] = [
  {
    why: 'A method that is not listed gets 404 ERR_NO_ROUTE, as the document states.',
    is: ({ check, code }) => check === 'unsupported_method' && code === 'ERR_NO_ROUTE',
  },
  {
    why: 'The path with a name in it is also one with a parameter, which has the method.',
    is: ({ check, operation }) =>
      check === 'unsupported_method' && operation === 'POST /me/methods/authenticator',
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
          }
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

describe('Schemathesis', function () {
  this.timeout(7_200_000)
  let service: TestService
  const ends: (() => Promise<unknown>)[] = []
  before(async () => {
    service = await testService()
    ends.unshift(() => service.stop())
  })
  after(async () => {
    for (const end of ends) await end()
  })

  /** Hands out a session and a key of a global administrator: requests revoke them. */
  const credentials = async (): Promise<string> => {
    const server = createServer((_, response) => {
      void (async () => {
        const person = await service.person({}, ['global_admin'])
        const { key } = await apiKey(service, { roles: ['global_admin'] })
        response.end(JSON.stringify({ session: person.cookie, api_key: key }))
      })()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.unshift(() => new Promise((resolve) => server.close(resolve)))
    const address = server.address()
    return `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}/`
  }

  it('finds nothing that is not listed with its reason', async () => {
    const { folder, remove } = await workplace()
    ends.push(remove)
    const bin = await pythonPackages(folder, `schemathesis==${versions.schemathesis}`)
    const report = join(folder, 'report.ndjson')
    await mkdir(join(folder, 'run'))
    const seed = process.env['SVC_TEST_SEED'] ?? '1'
    const args = ['run', `${service.publicUrl}/api/v1/openapi.yaml`, '--seed', seed, '--workers', '2']
    // A test delivery to a webhook endpoint that does not answer takes longer than the usual ten seconds.
    const more = ['--continue-on-failure', '--request-timeout', '40', '--report', 'ndjson']
    const { output, errors } = await ended(
      join(bin, 'st'),
      [...args, ...more, '--report-ndjson-path', report],
      {
        cwd: join(folder, 'run'),
        env: {
          SCHEMATHESIS_HOOKS: 'svc_hooks',
          PYTHONPATH: join(programs, 'schemathesis'),
          CREDENTIALS_URL: await credentials(),
        },
      },
    )
    const reasons = new Map<string, number>()
    const unexpected = new Map<string, number>()
    const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
    let requests = 0
    for await (const text of createInterface({ input: createReadStream(report) })) {
      const { ScenarioFinished: scenario, NonFatalError: error, FatalError: fatal } = JSON.parse(text) as Line
      if (fatal !== undefined) count(unexpected, text)
      // The same request had another answer the second time: what it created was there.
      if (error !== undefined && error.value.type !== 'FlakyFailure')
        count(unexpected, `${error.label}: ${error.value.message}`)
      const { interactions = {}, checks = {} } = scenario?.recorder ?? {}
      requests += Object.keys(interactions).length
      for (const [id, results] of Object.entries(checks))
        for (const { name: check, failure_info: info } of results) {
          if (info === undefined) continue
          const response = interactions[id]?.response
          const { operation, message } = info.failure
          const finding = {
            check,
            operation,
            status: response?.status_code ?? 0,
            ...errorIn(response?.content),
          }
          const reason = accepted.find((each) => each.is(finding))?.why
          if (reason !== undefined) count(reasons, reason)
          else count(unexpected, `${JSON.stringify(finding)} ${message}`)
        }
    }
    console.log(`        ${String(requests)} requests`)
    for (const [why, times] of reasons) console.log(`        ${String(times)} × ${why}`)
    expect(requests, output + errors).to.be.greaterThan(10_000)
    expect([...unexpected]).to.deep.equal([])
  })
})
