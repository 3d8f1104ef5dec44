import type { SignInMethod } from '../../../../domain/session/events.ts'
import { html, type Html } from '../../../kernel/html.ts'
import type { TestedAnswer, TestReport } from '../../sign-in/test-report.ts'
import { icons } from '../kit/icons.ts'
import { address, htmlPage, moment, notice, type PageModel } from '../kit/layout.ts'

type Fact = readonly [name: string, value: Html | string]

interface Step {
  readonly title: string
  /** Null if the test did not get that far */
  readonly passed: boolean | null
  readonly detail: Html | string
}

const methodNames: Readonly<Record<SignInMethod, string>> = {
  passkey: 'passkey',
  security_key: 'security key',
  authenticator_code: 'authenticator code',
  recovery_code: 'recovery code',
  magic_link: 'link by email',
  identity_provider: 'linked account',
  enrollment_link: 'enrolment link',
  development: 'development session',
}

const facts = (all: readonly Fact[]): Html =>
  html`<dl class="facts report-facts">
    ${all.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

const section = (title: string, hint: string, body: Html): Html =>
  html`<section class="card section">
    <div class="section-head">
      <div>
        <h2>${title}</h2>
        <p>${hint}</p>
      </div>
    </div>
    ${body}
  </section>`

const valueOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const TIMES = ['iat', 'exp', 'auth_time', 'updated_at']

const claim = ([name, value]: readonly [string, unknown]): Fact => [
  name,
  TIMES.includes(name) && typeof value === 'number'
    ? html`${String(value)} <span class="soft small">${moment(new Date(value * 1000).toISOString())}</span>`
    : valueOf(value),
]

const claims = (all: Readonly<Record<string, unknown>>): Html => facts(Object.entries(all).map(claim))

const source = (label: string, text: string): Html =>
  html`<details class="source">
    <summary>${label}</summary>
    <pre tabindex="0">${text}</pre>
  </details>`

const requestStep = ({ request }: TestReport): Step =>
  request.protocol === 'oidc'
    ? {
        title: 'The request of the application is valid',
        passed: true,
        detail: facts([
          ['client_id', request.clientId],
          ['redirect_uri', request.redirectUri],
          ['scope', request.scopes.join(' ')],
        ]),
      }
    : {
        title: 'The application is registered',
        passed: true,
        detail: facts([
          ['Entity ID', request.entityId],
          ['Assertion consumer service URL', request.acsUrl],
        ]),
      }

const signInStep = ({ person: { name, email, methods, strength, authTime } }: TestReport): Step => ({
  title: 'The user is signed in',
  passed: true,
  detail: facts([
    ['User', html`${name} (${address(email)})`],
    ['Signed in with', methods.map((method) => methodNames[method]).join(', ')],
    ['Strength', strength.replaceAll('_', ' ')],
    ['Signed in at', moment(authTime)],
  ]),
})

const accessStep = ({ access }: TestReport): Step => {
  switch (access.outcome) {
    case 'assigned':
      return {
        title: 'The user is assigned to the application',
        passed: true,
        detail: facts([
          [access.groups.length === 1 ? 'Through the group' : 'Through the groups', access.groups.join(', ')],
        ]),
      }
    case 'open_to_all':
      return {
        title: 'The user may use the application',
        passed: true,
        detail: 'The application is open to all users.',
      }
    case 'not_assigned':
      return {
        title: 'The user is not assigned to the application',
        passed: false,
        detail: 'Add the user to a group of the application, or assign a group of the user to it.',
      }
  }
}

const answerStep = ({ access, answer, request }: TestReport): Step => {
  if (access.outcome === 'not_assigned')
    return { title: 'The application receives an answer', passed: null, detail: 'Not reached.' }
  if (answer === null)
    return {
      title: 'The user cannot be named',
      passed: false,
      detail:
        'The NameID is an email address, and this user has none that can be read. Use the format “persistent”, or set the address of the user.',
    }
  return {
    title: 'The application receives the user',
    passed: true,
    detail: `As shown below. A real sign-in continues at ${request.protocol === 'oidc' ? request.redirectUri : request.acsUrl}. This test sent nothing there.`,
  }
}

const stepItem = ({ title, passed, detail }: Step): Html =>
  html`<li>
    <span class="glyph ${passed === null ? '' : passed ? 'glyph-done' : 'glyph-problem'}"
      >${icons[passed === null ? 'clock' : passed ? 'done' : 'alert']}</span
    >
    <div class="stack">
      <h3>${title}</h3>
      ${typeof detail === 'string' ? html`<p>${detail}</p>` : detail}
    </div>
  </li>`

const received = (answer: TestedAnswer): readonly Html[] => {
  if (answer.protocol === 'saml')
    return [
      section(
        'Assertion',
        'The subject and the attributes that the application receives, signed.',
        html`${facts([
          ['NameID', answer.nameId.value],
          ['Format', answer.nameId.format],
          ...answer.attributes.map(({ name, values }): Fact => [name, values.join(', ')]),
        ])}
        ${source('Show as XML', answer.xml)}`,
      ),
    ]
  const { idToken, userinfo, accessToken, hasRefreshToken } = answer
  return [
    idToken === null
      ? section('ID token', 'None: the scope openid was not requested.', html``)
      : section(
          'ID token',
          'Claims about the user and the sign-in, signed. A real one also has at_hash, and the nonce of its request.',
          html`${claims(idToken)} ${source('Show as JSON', JSON.stringify(idToken, null, 2))}`,
        ),
    ...(userinfo === null
      ? []
      : [
          section(
            'Userinfo',
            'What the userinfo endpoint returns for the access token.',
            html`${claims(userinfo)} ${source('Show as JSON', JSON.stringify(userinfo, null, 2))}`,
          ),
        ]),
    section(
      'Access token',
      'What the token opens. The application does not read it.',
      facts([
        ['Format', accessToken.format === 'jwt' ? 'JWT (RFC 9068)' : 'opaque'],
        ['Audience', accessToken.audience.join(', ')],
        ['Scopes', accessToken.scopes.join(' ')],
        ['Lifetime', `${String(accessToken.lifetimeSeconds)} seconds`],
        ['Refresh token', hasRefreshToken ? 'yes' : 'no, it needs the scope offline_access'],
      ]),
    ),
  ]
}

/** The page at the end of a test sign-in: every step, then every claim. */
export const testReportPage = (model: PageModel & TestReport): string => {
  const { application, answer, isOwn } = model
  const steps = [requestStep, signInStep, accessStep, answerStep].map((step) => step(model))
  const hasPassed = steps.every(({ passed }) => passed === true)
  const title = hasPassed
    ? `The sign-in to ${application.name} works`
    : `The sign-in to ${application.name} does not work`
  return htmlPage(model, {
    title,
    width: 'wide',
    main: html`<div class="account">
      <div class="page-head">
        <h1>${title}</h1>
        <p>This was a test. The application was not opened, and no tokens were issued.</p>
      </div>
      ${
        !isOwn &&
        notice(
          'info',
          'An administrator asked for this test. Send them a picture of this page if it shows a problem.',
        )
      }
      <section class="card section">
        <h2>Steps</h2>
        <ol class="rows report-steps">
          ${steps.map(stepItem)}
        </ol>
      </section>
      ${answer !== null && received(answer)}
      ${
        isOwn &&
        html`<p>
          <a class="button" href="/console/applications/${application.id}?tab=test"
            >Back to the application</a
          >
        </p>`
      }
    </div>`,
  })
}
