/** Every route of the JSON API has a page that uses it, or a reason why none does. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { consolePages } from '../../adapters/inbound/web/console/page-list.ts'
import type { ConsolePage } from '../../adapters/inbound/web/console/page.ts'

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
  [/^GET \/lifecycle\/runs\/\{id\}$/, 'the lists show everything about a run'],
  [/^\w+ \/auth\//, 'the pages of sign-in and enrolment'],
  [/^\w+ \/device\//, 'the page that approves a sign-in on another device'],
  [/^(?!GET \/me$)\w+ \/me\b/, 'the account pages'],
  [/^POST \/access-reviews\/\{id\}\/items\/(\{itemId\}\/)?decide$/, 'reviewers decide on the account page'],
  [
    /^GET \/access-packages\/\{id\}\/assignments\/\{assignmentId\}$/,
    'the list returns whole assignments: GET /access-packages/{id}/assignments',
  ],
  [/^GET \/openapi\.yaml$/, 'a public document'],
  [/^POST \/configuration\/plans$/, '`svc plan` makes plans'],
  [/^GET \/ssh\/(ca\.pub|revoked-keys|known-hosts)$/, 'servers and clients fetch these files'],
  [/^POST \/ssh\/host-certificates$/, 'servers get their certificates'],
  [/^GET \/branding\/logo$/, 'an image on every page'],
  [/^GET \/applications\/\{id\}\/logo$/, 'an image on every page with an application'],
  [/^GET \/branding\/theme\.css$/, 'a style sheet on every page'],
  [/^GET \/audit\/\{id\}$/, 'the list returns whole entries: GET /audit'],
  [/^GET \/export\/\{id\}$/, 'the list returns whole exports: GET /export'],
  [/^GET \/export\/\{id\}\/file$/, 'the browser opens it: POST /export/{id}/download returns its address'],
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
  [/^POST \/groups\/rule\/preview$/, 'a rule is previewed in its group: POST /groups/{id}/rule/preview'],
  [/^GET \/users\/\{id\}\/applications$/, 'the access of a user says more: GET /users/{id}/access'],
]

describe('the pages of the console', () => {
  const pages = Object.entries(consolePages) as [string, ConsolePage][]
  const called = new Set(pages.flatMap(([, { calls }]) => calls))

  it('name only routes that exist', () => {
    expect([...called].filter((call) => !routes.includes(call))).to.deep.equal([])
  })

  it('use every route, or a reason says why none does', () => {
    const wrong = routes.filter((route) => {
      const isElsewhere = elsewhere.some(([pattern]) => pattern.test(route))
      return called.has(route) === isElsewhere
    })
    expect(wrong, 'neither a page nor a reason, or both').to.deep.equal([])
  })
})
