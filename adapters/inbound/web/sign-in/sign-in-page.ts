import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { icons } from '../kit/icons.ts'
import {
  address,
  hiddenFields,
  mark,
  needsScript,
  notice,
  htmlPage,
  reports,
  type ApplicationMark,
  type PageModel,
} from '../kit/layout.ts'
import { otherWays } from './other-ways.ts'
import { providerButtons } from './provider-buttons.ts'
import type { Ways } from './ways.ts'

export interface SignInModel extends PageModel {
  /** The requesting application; omitted if there is none */
  readonly application?: ApplicationMark | undefined
  readonly authRequestId?: string | undefined
  /** A page of this service to continue to, without an application */
  readonly next?: string | undefined
  /** The purpose of that page; default: the user's own account */
  readonly purpose?: 'device' | undefined
  readonly loginHint?: string | undefined
  readonly error?:
    | { readonly code: string; readonly message: string; readonly why?: string | undefined }
    | undefined
  /** Where the user can ask for help; omitted if it is unknown, or not needed */
  readonly help?: string | undefined
  /** Whether something requires the user to sign in now, even if they did so before */
  readonly asksAgain?: boolean | undefined
  readonly signedInAs?: { readonly name: string; readonly email: string } | undefined
  /** An account at an identity provider that is linked once the user has signed in */
  readonly pendingLink?: { readonly provider: string; readonly email: string } | undefined
  readonly ways: Ways
  readonly linkMinutes: number
}

const words = texts({
  en: {
    with: { passkey: 'Sign in with a passkey', 'security key': 'Sign in with a security key' },
    hints: {
      passkey: 'Your device asks for your fingerprint, face, PIN or security key.',
      'security key': 'Have your security key ready. You may be asked for its PIN.',
    },
    backTo: (application: string) => `Back to ${application}`,
    confirm: (name: string, email: Html) =>
      html`You are signed in as <strong>${name}</strong> (${email}). Please confirm your identity.`,
    signInAs: (email: Html) => html`Sign in as <strong>${email}</strong>`,
    use: {
      passkey: (email: Html) => html`Use the passkey of <strong>${email}</strong>`,
      'security key': (email: Html) => html`Use the security key of <strong>${email}</strong>`,
    },
    toAccount: (organization: string) => `to your ${organization} account`,
    toApprove: 'to approve a sign-in on another device',
    signInTo: (application: string) => `Sign in to ${application}`,
    toContinue: (application: string) => html`to continue to <strong>${application}</strong>`,
    noMethod: 'No sign-in method is available. Ask your administrator.',
    linking: (provider: string, email: Html) =>
      html`There is an account of ${email} here already. Sign in to it once, to link your account at
        <strong>${provider}</strong>.`,
  },
  de: {
    with: {
      passkey: 'Mit einem Passkey anmelden',
      'security key': 'Mit einem Sicherheitsschlüssel anmelden',
    },
    hints: {
      passkey: 'Ihr Gerät fragt nach Fingerabdruck, Gesicht, PIN oder Sicherheitsschlüssel.',
      'security key':
        'Halten Sie Ihren Sicherheitsschlüssel bereit. Vielleicht wird nach seiner PIN gefragt.',
    },
    backTo: (application) => `Zurück zu ${application}`,
    confirm: (name, email) =>
      html`Sie sind als <strong>${name}</strong> (${email}) angemeldet. Bitte bestätigen Sie Ihre Identität.`,
    signInAs: (email) => html`Melden Sie sich als <strong>${email}</strong> an`,
    use: {
      passkey: (email) => html`Verwenden Sie den Passkey von <strong>${email}</strong>`,
      'security key': (email) => html`Verwenden Sie den Sicherheitsschlüssel von <strong>${email}</strong>`,
    },
    toAccount: (organization) => `bei Ihrem Konto von ${organization}`,
    toApprove: 'um eine Anmeldung auf einem anderen Gerät zu genehmigen',
    signInTo: (application) => `Anmeldung bei ${application}`,
    toContinue: (application) => html`um zu <strong>${application}</strong> zu gelangen`,
    noMethod: 'Es ist keine Anmeldemethode verfügbar. Fragen Sie Ihren Administrator.',
    linking: (provider, email) =>
      html`Hier gibt es schon ein Konto von ${email}. Melden Sie sich einmal bei ihm an, um Ihr Konto bei
        <strong>${provider}</strong> zu verknüpfen.`,
  },
})

const passkeyButton = (way: 'passkey' | 'security key', language: Language): Html =>
  html`<button class="button button-primary button-wide" type="button" data-action="passkey">
      ${icons.passkey}<span>${words[language].with[way]}</span>
    </button>
    <p class="hint lead">${words[language].hints[way]}</p>`

const backToApplication = (application: ApplicationMark, authRequestId: string, language: Language): Html =>
  html`<form method="post" action="/sign-in/cancel">
    ${hiddenFields({ authRequest: authRequestId })}
    <button class="button button-quiet button-wide" type="submit">
      ${words[language].backTo(application.name)}
    </button>
  </form>`

const whoIsMeant = ({
  signedInAs,
  loginHint,
  pendingLink,
  ways,
  language,
}: SignInModel): Html | undefined => {
  const text = words[language]
  if (pendingLink) return notice('info', text.linking(pendingLink.provider, address(pendingLink.email)))
  if (signedInAs) return notice('info', text.confirm(signedInAs.name, address(signedInAs.email)))
  if (loginHint === undefined) return undefined
  return notice(
    'info',
    ways.passkey === null ? text.signInAs(address(loginHint)) : text.use[ways.passkey](address(loginHint)),
  )
}

/** The sign-in page. Its script reads `data-auth-request` and `data-next` and talks to `/api/v1/auth`. */
export const signInPage = (model: SignInModel): string => {
  const { language, organization, application, authRequestId, next, error, signedInAs, ways } = model
  const text = words[language]
  const purpose = model.purpose === 'device' ? text.toApprove : text.toAccount(organization.name)
  const others = otherWays(ways, {
    email: signedInAs?.email ?? model.pendingLink?.email ?? model.loginHint,
    linkMinutes: model.linkMinutes,
    language,
  })
  const going = {
    authRequestId,
    return: next,
    loginHint: signedInAs?.email ?? model.loginHint,
    again: model.asksAgain ? '1' : undefined,
  }
  const providers = providerButtons(ways.providers, going, language)
  return htmlPage(model, {
    title: application ? text.signInTo(application.name) : commonTexts[language].signIn,
    width: 'focus',
    scripts: ['sign-in.js'],
    main: html`<section class="card card-focus" ${{ 'data-auth-request': authRequestId, 'data-next': next }}>
      <div class="lead">
        ${application && mark(application)}
        <h1>${commonTexts[language].signIn}</h1>
        <p>${application ? text.toContinue(application.name) : purpose}</p>
      </div>
      ${error && notice('problem', html`<span data-code="${error.code}">${error.message}${error.why === undefined ? '' : ` ${error.why}`}</span>`)}
      ${whoIsMeant(model)} ${needsScript(language)}
      <div class="stack needs-script">
        ${reports()} ${ways.passkey !== null && passkeyButton(ways.passkey, language)}
      </div>
      ${ways.providers.length > 0 && html`<div class="stack">${providers}</div>`}
      <div class="stack needs-script">
        ${others}
        ${ways.passkey === null && others === undefined && ways.providers.length === 0 && html`<p class="lead">${text.noMethod}</p>`}
      </div>
      ${model.help !== undefined && html`<a class="button button-quiet button-wide" href="${model.help}">${commonTexts[language].askForHelp}</a>`}
      ${application && authRequestId && backToApplication(application, authRequestId, language)}
    </section>`,
  })
}
