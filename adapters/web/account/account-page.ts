import { html, type Html } from '../kit/html.ts'
import { icons } from '../kit/icons.ts'
import {
  address,
  mark,
  moment,
  needsScript,
  page,
  reports,
  type ApplicationMark,
  type PageModel,
} from '../kit/layout.ts'
import { accountDialogs } from './account-dialogs.ts'

export interface AccountMethod {
  readonly id: string
  readonly type: string
  readonly name: string
  /** RFC 3339, as all times here. */
  readonly createdAt: string
  readonly lastUsedAt?: string | undefined
  /** Whether this session was opened with it. */
  readonly current?: boolean | undefined
}

export interface AccountSession {
  readonly id: string
  readonly current: boolean
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly ip: string
  /** Readable name of browser and system, such as `Firefox on Windows`. */
  readonly device: string
}

export interface AccountApplication extends ApplicationMark {
  readonly id: string
  readonly launchUrl?: string | undefined
}

export interface AccountModel extends PageModel {
  readonly user: {
    readonly name: string
    readonly email: string
    readonly department?: string | undefined
    readonly title?: string | undefined
  }
  readonly methods: readonly AccountMethod[]
  readonly sessions: readonly AccountSession[]
  readonly applications: readonly AccountApplication[]
  /** `via` says through what the person is a member: `direct`, or the name of the rule or package. */
  readonly groups: readonly { readonly name: string; readonly via: string }[]
  /** Display names. */
  readonly roles: readonly string[]
}

interface SectionParts {
  readonly id: string
  readonly title: string
  readonly hint?: string
  readonly action?: Html | false
  readonly body: Html
}

const section = ({ id, title, hint, action, body }: SectionParts): Html =>
  html`<section class="card section" aria-labelledby="${id}">
    <div class="section-head">
      <div>
        <h2 id="${id}" tabindex="-1">${title}</h2>
        ${hint && html`<p>${hint}</p>`}
      </div>
      ${action}
    </div>
    ${body}
  </section>`

const empty = (text: string): Html => html`<p class="empty">${text}</p>`

const profile = ({ user }: AccountModel): Html =>
  html`<div class="profile">
    <h1>${user.name}</h1>
    <dl>
      <div>
        <dt class="visually-hidden">E-mail</dt>
        <dd>${address(user.email)}</dd>
      </div>
      ${
        user.title &&
        html`<div>
          <dt class="visually-hidden">Title</dt>
          <dd>${user.title}</dd>
        </div>`
      }
      ${
        user.department &&
        html`<div>
          <dt class="visually-hidden">Department</dt>
          <dd>${user.department}</dd>
        </div>`
      }
    </dl>
  </div>`

const applicationTile = (application: AccountApplication): Html => {
  const face = html`${mark(application)}<span>${application.name}</span>`
  return application.launchUrl
    ? html`<li><a class="tile" href="${application.launchUrl}">${face}${icons.open}</a></li>`
    : html`<li><div class="tile">${face}</div></li>`
}

const applications = ({ applications: all }: AccountModel): Html =>
  section({
    id: 'applications',
    title: 'Applications',
    body:
      all.length > 0
        ? html`<ul class="tiles">
            ${all.map(applicationTile)}
          </ul>`
        : empty('None yet. They appear here once a group of yours is assigned to one.'),
  })

const methodKinds: Record<string, string> = {
  passkey: 'Passkey',
  security_key: 'Security key',
  authenticator_code: 'Authenticator app',
  magic_link: 'E-mail link',
}

const methodRow = (method: AccountMethod): Html => {
  const what = { 'data-id': method.id, 'data-name': method.name }
  return html`<li>
    <span class="glyph">${icons.passkey}</span>
    <div>
      <p class="row-title">
        ${method.name} ${method.current && html`<span class="badge">Used for this session</span>`}
      </p>
      <p class="row-detail">
        ${methodKinds[method.type] ?? method.type}, added ${moment(method.createdAt)}.
        ${method.lastUsedAt ? html`Last used ${moment(method.lastUsedAt)}.` : 'Not used yet.'}
      </p>
    </div>
    <div class="actions needs-script">
      <button class="button button-quiet button-small" type="button" ${{ 'data-open': 'rename', ...what }}>
        Rename<span class="visually-hidden"> ${method.name}</span>
      </button>
      <button
        class="button button-quiet button-danger button-small"
        type="button"
        ${{ 'data-open': 'remove', ...what }}
      >
        Remove<span class="visually-hidden"> ${method.name}</span>
      </button>
    </div>
  </li>`
}

const methods = ({ methods: all }: AccountModel): Html =>
  section({
    id: 'methods',
    title: 'Ways to sign in',
    hint: all.length === 1 ? 'Add a second passkey, so that a lost device does not lock you out.' : '',
    action: html`<button class="button button-small needs-script" type="button" data-open="add">
      Add a passkey
    </button>`,
    body:
      all.length > 0
        ? html`<ul class="rows">
            ${all.map(methodRow)}
          </ul>`
        : empty('No passkey yet.'),
  })

const sessionRow = (session: AccountSession): Html =>
  html`<li>
    <span class="glyph">${icons.device}</span>
    <div>
      <p class="row-title">
        ${session.device} ${session.current && html`<span class="badge">This browser</span>`}
      </p>
      <p class="row-detail">
        ${session.ip}. Signed in ${moment(session.createdAt)}, last seen ${moment(session.lastSeenAt)}.
      </p>
    </div>
    ${
      !session.current &&
      html`<div class="actions needs-script">
        <button
          class="button button-quiet button-danger button-small"
          type="button"
          data-action="end-session"
          data-id="${session.id}"
        >
          End<span class="visually-hidden"> the session of ${session.device}, ${session.ip}</span>
        </button>
      </div>`
    }
  </li>`

const sessions = ({ sessions: all }: AccountModel): Html =>
  section({
    id: 'sessions',
    title: 'Where you are signed in',
    action:
      all.some(({ current }) => !current) &&
      html`<button class="button button-small needs-script" type="button" data-action="end-others">
        End all others
      </button>`,
    body: html`<ul class="rows">
      ${all.map(sessionRow)}
    </ul>`,
  })

const groups = ({ groups: all }: AccountModel): Html =>
  section({
    id: 'groups',
    title: 'Groups',
    body:
      all.length > 0
        ? html`<ul class="pairs">
            ${all.map(({ name, via }) => html`<li><span>${name}</span><span class="soft small">${via}</span></li>`)}
          </ul>`
        : empty('You are in no group.'),
  })

const roles = ({ roles: all }: AccountModel): Html | false =>
  all.length > 0 &&
  section({
    id: 'roles',
    title: 'Administrator roles',
    body: html`<ul class="pairs">
      ${all.map((name) => html`<li>${name}</li>`)}
    </ul>`,
  })

const banner = (): Html =>
  html`<form method="post" action="/sign-out" data-form="sign-out">
    <button class="button button-small" type="submit">Sign out</button>
  </form>`

/** The signed-in person's own page. Its script works on `/api/v1/me`. */
export const accountPage = (model: AccountModel): string =>
  page(model, {
    title: 'Your account',
    width: 'wide',
    scripts: ['account.js'],
    banner: banner(),
    main: html`<div class="account">
        ${profile(model)} ${needsScript()} ${reports()}
        <div class="account-columns">
          <div class="account-column">${applications(model)} ${methods(model)} ${sessions(model)}</div>
          <div class="account-column">${groups(model)} ${roles(model)}</div>
        </div>
      </div>
      ${accountDialogs()}`,
  })
