import { html, type Html } from '../../../kernel/html.ts'
import type { Language } from '../../../kernel/language.ts'
import type { TestedAnswer, TestReport } from '../../sign-in/test-report.ts'
import { icons } from '../kit/icons.ts'
import { address, breakable, htmlPage, moment, notice, type PageModel } from '../kit/layout.ts'
import { testReportTexts } from './test-report-texts.ts'

type Texts = (typeof testReportTexts)[Language]
type Fact = readonly [name: string, value: Html | string]

interface Step {
  readonly title: string
  /** Null if the test did not get that far */
  readonly passed: boolean | null
  readonly detail: Html | string
}

type Model = PageModel & TestReport

const facts = (all: readonly Fact[]): Html =>
  html`<dl class="facts report-facts">
    ${all.map(
      ([name, value]) =>
        html`<div>
          <dt>${breakable(name)}</dt>
          <dd>${typeof value === 'string' ? breakable(value) : value}</dd>
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

const claims = (all: Readonly<Record<string, unknown>>, language: Language): Html =>
  facts(
    Object.entries(all).map(([name, value]): Fact => [
      name,
      TIMES.includes(name) && typeof value === 'number'
        ? html`${String(value)}
            <span class="soft small">${moment(new Date(value * 1000).toISOString(), language)}</span>`
        : valueOf(value),
    ]),
  )

const source = (label: string, text: string): Html =>
  html`<details class="source">
    <summary>${label}</summary>
    <pre tabindex="0">${text}</pre>
  </details>`

const requestStep = ({ request }: Model, text: Texts): Step =>
  request.protocol === 'oidc'
    ? {
        title: text.requestValid,
        passed: true,
        detail: facts([
          ['client_id', request.clientId],
          ['redirect_uri', request.redirectUri],
          ['scope', request.scopes.join(' ')],
        ]),
      }
    : {
        title: text.registered,
        passed: true,
        detail: facts([
          [text.entityId, request.entityId],
          [text.acsUrl, request.acsUrl],
        ]),
      }

const signInStep = ({ person, language }: Model, text: Texts): Step => ({
  title: text.signedIn,
  passed: true,
  detail: facts([
    [text.user, html`${person.name} (${address(person.email)})`],
    [text.signedInWith, person.methods.map((method) => text.methods[method]).join(', ')],
    [text.strength, text.strengths[person.strength]],
    [text.signedInAt, moment(person.authTime, language)],
  ]),
})

const accessStep = ({ access }: Model, text: Texts): Step => {
  switch (access.outcome) {
    case 'assigned': {
      const label = access.groups.length === 1 ? text.throughGroup : text.throughGroups
      return { title: text.assigned, passed: true, detail: facts([[label, access.groups.join(', ')]]) }
    }
    case 'open_to_all':
      return { title: text.mayUse, passed: true, detail: text.openToAll }
    case 'not_assigned':
      return { title: text.notAssigned, passed: false, detail: text.notAssignedAdvice }
    case 'blocked_by_policy':
      return { title: text.blocked, passed: false, detail: text.blockedAdvice }
  }
}

const answerStep = ({ access, answer, request }: Model, text: Texts): Step => {
  if (access.outcome === 'not_assigned' || access.outcome === 'blocked_by_policy')
    return { title: text.receives, passed: null, detail: text.notReached }
  if (answer === null) return { title: text.cannotBeNamed, passed: false, detail: text.cannotBeNamedAdvice }
  const target = request.protocol === 'oidc' ? request.redirectUri : request.acsUrl
  return { title: text.receives, passed: true, detail: text.received(target) }
}

const stepItem = ({ title, passed, detail }: Step): Html =>
  html`<li>
    <span class="glyph ${passed === null ? '' : passed ? 'glyph-done' : 'glyph-problem'}"
      >${icons[passed === null ? 'clock' : passed ? 'done' : 'alert']}</span
    >
    <div class="stack">
      <h3>${title}</h3>
      ${typeof detail === 'string' ? html`<p>${breakable(detail)}</p>` : detail}
    </div>
  </li>`

const received = (answer: TestedAnswer, language: Language, text: Texts): readonly Html[] => {
  if (answer.protocol === 'saml')
    return [
      section(
        text.assertion,
        text.assertionHint,
        html`${facts([
          [text.nameId, answer.nameId.value],
          [text.format, answer.nameId.format],
          ...answer.attributes.map(({ name, values }): Fact => [name, values.join(', ')]),
        ])}
        ${source(text.showXml, answer.xml)}`,
      ),
    ]
  const { idToken, userinfo, accessToken, hasRefreshToken } = answer
  const claimSection = (title: string, hint: string, all: Readonly<Record<string, unknown>>): Html =>
    section(
      title,
      hint,
      html`${claims(all, language)} ${source(text.showJson, JSON.stringify(all, null, 2))}`,
    )
  return [
    idToken === null
      ? section(text.idToken, text.noIdToken, html``)
      : claimSection(text.idToken, text.idTokenHint, idToken),
    ...(userinfo === null ? [] : [claimSection(text.userinfo, text.userinfoHint, userinfo)]),
    section(
      text.accessToken,
      text.accessTokenHint,
      facts([
        [text.format, accessToken.format === 'jwt' ? 'JWT (RFC 9068)' : text.opaque],
        [text.audience, accessToken.audience.join(', ')],
        [text.scopes, accessToken.scopes.join(' ')],
        [text.lifetime, text.seconds(accessToken.lifetimeSeconds)],
        [text.refreshToken, hasRefreshToken ? text.yes : text.noRefreshToken],
      ]),
    ),
  ]
}

/** The page at the end of a test sign-in: every step, then every claim. */
export const testReportPage = (model: Model): string => {
  const { language, application, answer, isOwn } = model
  const text = testReportTexts[language]
  const steps = [requestStep, signInStep, accessStep, answerStep].map((step) => step(model, text))
  const hasPassed = steps.every(({ passed }) => passed === true)
  const title = hasPassed ? text.works(application.name) : text.fails(application.name)
  return htmlPage(model, {
    title,
    width: 'wide',
    main: html`<div class="account">
      <div class="page-head">
        <h1>${title}</h1>
        <p>${text.lead}</p>
      </div>
      ${!isOwn && notice('info', text.forOthers)}
      <section class="card section">
        <h2>${text.steps}</h2>
        <ol class="rows report-steps">
          ${steps.map(stepItem)}
        </ol>
      </section>
      ${answer !== null && received(answer, language, text)}
      ${
        isOwn &&
        html`<p>
          <a class="button" href="/console/applications/${application.id}?tab=test">${text.back}</a>
        </p>`
      }
    </div>`,
  })
}
