import { html } from '../../../kernel/html.ts'
import { texts } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { emblem, hiddenFields, mark, htmlPage, type ApplicationMark, type PageModel } from '../kit/layout.ts'

const words = texts({
  en: {
    signOut: 'Sign out?',
    wantsToSignOut: (application: string, organization: string) =>
      html`<strong>${application}</strong> wants to sign you out of ${organization}.`,
    endsSession: (organization: string) => `This ends your ${organization} session in this browser.`,
    stay: 'Stay signed in',
    signedOut: 'You are signed out',
    ownSessions:
      'Applications that you opened may keep their own sessions. On a shared device, sign out of them too.',
    signInAgain: 'Sign in again',
    welcome: 'Welcome',
    oneAccount:
      'One account for all applications of your organization, with a passkey instead of a password.',
    theApplication: 'the application',
    continueTo: (application: string) => `Continue to ${application}`,
    redirecting: 'Redirecting',
    continuing: (application: string) => html`Continuing to <strong>${application}</strong>.`,
    goOn: 'Continue',
  },
  de: {
    signOut: 'Abmelden?',
    wantsToSignOut: (application, organization) =>
      html`<strong>${application}</strong> möchte Sie bei ${organization} abmelden.`,
    endsSession: (organization) => `Damit endet Ihre Sitzung bei ${organization} in diesem Browser.`,
    stay: 'Angemeldet bleiben',
    signedOut: 'Sie sind abgemeldet',
    ownSessions:
      'Anwendungen, die Sie geöffnet haben, können eigene Sitzungen behalten. Melden Sie sich auf einem gemeinsam genutzten Gerät auch dort ab.',
    signInAgain: 'Erneut anmelden',
    welcome: 'Willkommen',
    oneAccount: 'Ein Konto für alle Anwendungen Ihrer Organisation, mit einem Passkey statt einem Passwort.',
    theApplication: 'der Anwendung',
    continueTo: (application) => `Weiter zu ${application}`,
    redirecting: 'Weiterleitung',
    continuing: (application) => html`Es geht weiter zu <strong>${application}</strong>.`,
    goOn: 'Weiter',
  },
})

export interface SignOutConfirmModel extends PageModel {
  readonly application?: ApplicationMark | undefined
  /** Where the confirmation is posted, with `fields` as its body */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly cancelHref: string
}

/** The page for a sign-out request without proof of its origin: no other website can end a session. */
export const signOutConfirmPage = (model: SignOutConfirmModel): string =>
  htmlPage(model, {
    title: words[model.language].signOut,
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${model.application && mark(model.application)}
        <h1>${words[model.language].signOut}</h1>
        <p>
          ${
            model.application
              ? words[model.language].wantsToSignOut(model.application.name, model.organization.name)
              : words[model.language].endsSession(model.organization.name)
          }
        </p>
      </div>
      <div class="stack">
        <form method="post" action="${model.action}">
          ${hiddenFields(model.fields)}
          <button class="button button-primary button-wide" type="submit">
            ${commonTexts[model.language].signOut}
          </button>
        </form>
        <a class="button button-wide" href="${model.cancelHref}">${words[model.language].stay}</a>
      </div>
    </section>`,
  })

/** The page after a sign-out. */
export const signedOutPage = (model: PageModel): string =>
  htmlPage(model, {
    title: words[model.language].signedOut,
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem('done', 'done')}
        <h1>${words[model.language].signedOut}</h1>
        <p>${words[model.language].ownSessions}</p>
      </div>
      <a class="button button-primary button-wide" href="/sign-in">${words[model.language].signInAgain}</a>
    </section>`,
  })

/** The page at `/` for a visitor without a session. */
export const homePage = (model: PageModel): string =>
  htmlPage(model, {
    title: words[model.language].welcome,
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem('passkey')}
        <h1>${words[model.language].welcome}</h1>
        <p>${words[model.language].oneAccount}</p>
      </div>
      <a class="button button-primary button-wide" href="/sign-in">${commonTexts[model.language].signIn}</a>
    </section>`,
  })

export interface FormPostModel extends PageModel {
  /** Absolute http(s) URL. A policy with `form-action` must contain it and its possible redirect targets */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly applicationName?: string | undefined
}

/**
 * A page that posts its fields automatically (OAuth 2.0 Form Post Response Mode, SAML HTTP-POST). The button is for
 * users whose browser did not run the script.
 */
export const formPostPage = (model: FormPostModel): string => {
  const text = words[model.language]
  const name = model.applicationName ?? text.theApplication
  return htmlPage(model, {
    title: text.continueTo(name),
    width: 'focus',
    scripts: ['submit.js'],
    main: html`<section class="card card-focus">
      <div class="lead">
        <h1>${text.redirecting}</h1>
        <p>${text.continuing(name)}</p>
      </div>
      <form method="post" action="${model.action}" data-submit>
        ${hiddenFields(model.fields)}
        <button class="button button-primary button-wide" type="submit">${text.goOn}</button>
      </form>
    </section>`,
  })
}
