/** Every route of the JSON API has a page that uses it, or a reason why none does. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { consolePages, type ConsolePage } from '../../adapters/inbound/web/console/page-list.ts'

const document = parse(readFileSync(new URL('../../infra/docs/openapi.yaml', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>
}

const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { summary }]) => summary !== undefined)
    .map(([method]) => `${method.toUpperCase()} ${path}`),
)

/** Routes that other pages, or no page, need. */
const elsewhere: readonly (readonly [routes: RegExp, why: string])[] = [
  [/^\w+ \/auth\//, 'the pages of sign-in and enrolment'],
  [/^\w+ \/device\//, 'the page that approves a sign-in on another device'],
  [/^(?!GET \/me$)\w+ \/me\b/, 'the account pages'],
  [/^GET \/(?:organization|openapi\.yaml)$/, 'public documents'],
  [/^GET \/audit\/\{id\}$/, 'the list returns whole entries: GET /audit'],
  [/^GET \/audit\/consistency$/, 'programs that keep checkpoints compare them'],
  [
    /^PUT \/applications\/\{id\}\/api-grants$/,
    'the console grants the scopes of one API at a time: PUT /api-resources/{id}/grants/{applicationId}',
  ],
  [/^PUT \/applications\/\{id\}\/groups$/, 'the console assigns one group at a time'],
  [
    /^GET \/applications\/\{id\}\/users$/,
    'the access to an application says more: GET /applications/{id}/access',
  ],
  [/^GET \/users\/\{id\}\/applications$/, 'the access of a user says more: GET /users/{id}/access'],
]

/** Routes whose page is still to be built. */
const missing: readonly RegExp[] = [
  /^\w+ \/provisioning\b/,
  /^(?:GET|PATCH) \/(?:devices|sessions)\/\{id\}$/,
  /^GET \/sign-ins\/\{id\}$/,
  /^\w+ \/groups\/.*(?:rule\/preview|members\/diff)$/,
]

describe('the pages of the console', () => {
  const pages = Object.entries(consolePages) as [string, ConsolePage][]
  const called = new Set(pages.flatMap(([, { calls }]) => calls))

  it('name only routes that exist', () => {
    expect([...called].filter((call) => !routes.includes(call))).to.deep.equal([])
  })

  it('use every route, once a page is built for it', () => {
    const wrong = routes.filter((route) => {
      const reasons = [
        called.has(route),
        elsewhere.some(([pattern]) => pattern.test(route)),
        missing.some((pattern) => pattern.test(route)),
      ]
      return reasons.filter(Boolean).length !== 1
    })
    expect(wrong, 'no page and no reason, or more than one').to.deep.equal([])
  })
})
