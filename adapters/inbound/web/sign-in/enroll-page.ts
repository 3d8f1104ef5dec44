import { html, type Html } from '../../../kernel/html.ts'
import { texts } from '../../../kernel/language.ts'
import { address, emblem, moment, needsScript, htmlPage, type PageModel } from '../kit/layout.ts'
import { enrollForms } from './enroll-ways.ts'
import { providerButtons } from './provider-buttons.ts'
import type { OfferedProvider } from './ways.ts'
import { errorPage } from './error-page.ts'
import { errorText } from './error-texts.ts'

const words = texts({
  en: {
    setUpAccount: 'Set up your account',
    setUpSignIn: 'Set up sign-in',
    createPasskey: (organization: string) =>
      `Create a passkey for your ${organization} account. You use it instead of a password.`,
    choose: (organization: string) => `Choose how you sign in to ${organization}. You need no password.`,
    newPasskey: 'Your previous sign-in methods were removed. Create a new passkey to sign in again.',
    newMethod: 'Your previous sign-in methods were removed. Set up a new one to sign in again.',
    first: (organization: string) =>
      `You are the first administrator of ${organization}. Enter your name and email address, and choose how you sign in. You need no password.`,
    welcome: 'Welcome',
    welcomeName: (name: string) => `Welcome, ${name}`,
    welcomeBack: (name: string) => `Welcome back, ${name}`,
    worksUntil: (at: Html) => html`This link works once, until ${at}.`,
    goToSignIn: 'Go to sign-in',
  },
  de: {
    setUpAccount: 'Konto einrichten',
    setUpSignIn: 'Anmeldung einrichten',
    createPasskey: (organization) =>
      `Erstellen Sie einen Passkey für Ihr Konto bei ${organization}. Sie verwenden ihn statt eines Passworts.`,
    choose: (organization) =>
      `Wählen Sie, wie Sie sich bei ${organization} anmelden. Sie brauchen kein Passwort.`,
    newPasskey:
      'Ihre bisherigen Anmeldemethoden wurden entfernt. Erstellen Sie einen neuen Passkey, um sich wieder anzumelden.',
    newMethod:
      'Ihre bisherigen Anmeldemethoden wurden entfernt. Richten Sie eine neue ein, um sich wieder anzumelden.',
    first: (organization) =>
      `Sie sind der erste Administrator von ${organization}. Geben Sie Ihren Namen und Ihre E-Mail-Adresse ein, und wählen Sie, wie Sie sich anmelden. Sie brauchen kein Passwort.`,
    welcome: 'Willkommen',
    welcomeName: (name) => `Willkommen, ${name}`,
    welcomeBack: (name) => `Willkommen zurück, ${name}`,
    worksUntil: (at) => html`Dieser Link gilt einmal, bis ${at}.`,
    goToSignIn: 'Zur Anmeldung',
  },
})

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
  /** The identity provider that may enroll the user; omitted if none may */
  readonly provider?: OfferedProvider | undefined
}

const noPurpose = { authRequestId: undefined, return: undefined, again: undefined } as const

/** The page behind an invitation or reset link. Its script reads `data-token`. */
export const enrollPage = (model: EnrollModel): string => {
  const { language, organization, kind, name, email, asksProfile, expiresAt, token, allowedMethods } = model
  const { provider } = model
  const onlyPasskey = allowedMethods.length === 1 && allowedMethods[0] === 'passkey'
  const text = words[language]
  const invited = onlyPasskey ? text.createPasskey(organization.name) : text.choose(organization.name)
  const reset = onlyPasskey ? text.newPasskey : text.newMethod
  const first = text.first(organization.name)
  const greeting = kind === 'invite' ? text.welcomeName(name) : text.welcomeBack(name)
  return htmlPage(model, {
    title: kind === 'invite' ? text.setUpAccount : text.setUpSignIn,
    width: 'focus',
    scripts: ['enroll.js'],
    referrer: 'no-referrer',
    main: html`<section class="card card-focus" data-token="${token}" tabindex="-1">
      <div class="lead">
        ${emblem('passkey')}
        <h1>${asksProfile ? text.welcome : greeting}</h1>
        <p>${asksProfile ? first : kind === 'invite' ? invited : reset}</p>
        ${!asksProfile && html`<p><strong>${address(email)}</strong></p>`}
      </div>
      ${
        provider !== undefined &&
        html`<div class="stack">
          ${providerButtons([provider], { ...noPurpose, loginHint: email }, language)}
        </div>`
      }
      ${needsScript(language)} ${enrollForms(allowedMethods, asksProfile, language)}
      <p class="hint lead">${text.worksUntil(moment(expiresAt, language))}</p>
    </section>`,
  })
}

/** The page for a link that is unknown, used, replaced or expired. Send it with status 404. */
export const enrollExpiredPage = (model: PageModel): string =>
  errorPage({
    ...model,
    ...errorText('ERR_LINK_EXPIRED', undefined, model.language),
    code: 'ERR_LINK_EXPIRED',
    actions: [{ label: words[model.language].goToSignIn, href: '/sign-in' }],
  })
