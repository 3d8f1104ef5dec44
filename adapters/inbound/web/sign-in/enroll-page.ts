import { html } from '../../../kernel/html.ts'
import { address, emblem, moment, needsScript, page, type PageModel } from '../kit/layout.ts'
import { enrollForms } from './enroll-ways.ts'
import { errorPage } from './error-page.ts'
import { errorText } from './error-texts.ts'

export interface EnrollModel extends PageModel {
  readonly token: string
  readonly kind: 'invite' | 'reset'
  readonly name: string
  readonly email: string
  /** Nobody has said yet whose account it is: the page asks. */
  readonly asksProfile: boolean
  /** RFC 3339. */
  readonly expiresAt: string
  readonly allowedMethods: readonly string[]
}

/** The page behind an invitation or reset link. Its script reads `data-token`. */
export const enrollPage = (model: EnrollModel): string => {
  const { organization, kind, name, email, asksProfile, expiresAt, token, allowedMethods } = model
  const onlyPasskey = allowedMethods.length === 1 && allowedMethods[0] === 'passkey'
  const invited = onlyPasskey
    ? `Create a passkey to open your ${organization.name} account. It replaces a password.`
    : `Set up how you sign in to ${organization.name}. There is no password.`
  const reset = onlyPasskey
    ? 'Your earlier ways to sign in were removed. Create a new passkey to get back in.'
    : 'Your earlier ways to sign in were removed. Set up a new one to get back in.'
  const first = `You are the first administrator of ${organization.name}. Say who you are, and set up how you sign in. There is no password.`
  const greeting = kind === 'invite' ? `Welcome, ${name}` : `Hello again, ${name}`
  return page(model, {
    title: kind === 'invite' ? 'Set up your account' : 'Set up how you sign in',
    width: 'focus',
    scripts: ['enroll.js'],
    referrer: 'no-referrer',
    main: html`<section class="card card-focus" data-token="${token}" tabindex="-1">
      <div class="lead">
        ${emblem('passkey')}
        <h1>${asksProfile ? 'Welcome' : greeting}</h1>
        <p>${asksProfile ? first : kind === 'invite' ? invited : reset}</p>
        ${!asksProfile && html`<p><strong>${address(email)}</strong></p>`}
      </div>
      ${needsScript()} ${enrollForms(allowedMethods, asksProfile)}
      <p class="hint lead">This link works once, until ${moment(expiresAt)}.</p>
    </section>`,
  })
}

/** Shown for a link that is unknown, used, replaced or expired. Answer it with status 404. */
export const enrollExpiredPage = (model: PageModel): string =>
  errorPage({
    ...model,
    ...errorText('ERR_LINK_EXPIRED'),
    code: 'ERR_LINK_EXPIRED',
    actions: [{ label: 'Go to sign-in', href: '/sign-in' }],
  })
