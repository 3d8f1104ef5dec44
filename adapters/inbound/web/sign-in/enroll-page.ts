import { html } from '../../../kernel/html.ts'
import { address, emblem, moment, needsScript, htmlPage, type PageModel } from '../kit/layout.ts'
import { enrollForms } from './enroll-ways.ts'
import { errorPage } from './error-page.ts'
import { errorText } from './error-texts.ts'

export interface EnrollModel extends PageModel {
  readonly token: string
  readonly kind: 'invite' | 'reset'
  readonly name: string
  readonly email: string
  /** Whether the page asks for a profile, because the account has none */
  readonly asksProfile: boolean
  /** RFC 3339 */
  readonly expiresAt: string
  readonly allowedMethods: readonly string[]
}

/** The page behind an invitation or reset link. Its script reads `data-token`. */
export const enrollPage = (model: EnrollModel): string => {
  const { organization, kind, name, email, asksProfile, expiresAt, token, allowedMethods } = model
  const onlyPasskey = allowedMethods.length === 1 && allowedMethods[0] === 'passkey'
  const invited = onlyPasskey
    ? `Create a passkey for your ${organization.name} account. You use it instead of a password.`
    : `Choose how you sign in to ${organization.name}. You need no password.`
  const reset = onlyPasskey
    ? 'Your previous sign-in methods were removed. Create a new passkey to sign in again.'
    : 'Your previous sign-in methods were removed. Set up a new one to sign in again.'
  const first = `You are the first administrator of ${organization.name}. Enter your name and email address, and choose how you sign in. You need no password.`
  const greeting = kind === 'invite' ? `Welcome, ${name}` : `Welcome back, ${name}`
  return htmlPage(model, {
    title: kind === 'invite' ? 'Set up your account' : 'Set up sign-in',
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

/** The page for a link that is unknown, used, replaced or expired. Send it with status 404. */
export const enrollExpiredPage = (model: PageModel): string =>
  errorPage({
    ...model,
    ...errorText('ERR_LINK_EXPIRED'),
    code: 'ERR_LINK_EXPIRED',
    actions: [{ label: 'Go to sign-in', href: '/sign-in' }],
  })
