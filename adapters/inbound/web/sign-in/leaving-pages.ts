import { html } from '../../../kernel/html.ts'
import { emblem, hiddenFields, mark, htmlPage, type ApplicationMark, type PageModel } from '../kit/layout.ts'

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
    title: 'Sign out?',
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${model.application && mark(model.application)}
        <h1>Sign out?</h1>
        <p>
          ${
            model.application
              ? html`<strong>${model.application.name}</strong> wants to sign you out of
                  ${model.organization.name}.`
              : html`This ends your ${model.organization.name} session in this browser.`
          }
        </p>
      </div>
      <div class="stack">
        <form method="post" action="${model.action}">
          ${hiddenFields(model.fields)}
          <button class="button button-primary button-wide" type="submit">Sign out</button>
        </form>
        <a class="button button-wide" href="${model.cancelHref}">Stay signed in</a>
      </div>
    </section>`,
  })

/** The page after a sign-out. */
export const signedOutPage = (model: PageModel): string =>
  htmlPage(model, {
    title: 'You are signed out',
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem('done', 'done')}
        <h1>You are signed out</h1>
        <p>
          Applications that you opened may keep their own sessions. On a shared device, sign out of them too.
        </p>
      </div>
      <a class="button button-primary button-wide" href="/sign-in">Sign in again</a>
    </section>`,
  })

/** The page at `/` for a visitor without a session. */
export const homePage = (model: PageModel): string =>
  htmlPage(model, {
    title: 'Welcome',
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem('passkey')}
        <h1>Welcome</h1>
        <p>One account for all applications of your organization, with a passkey instead of a password.</p>
      </div>
      <a class="button button-primary button-wide" href="/sign-in">Sign in</a>
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
  const name = model.applicationName ?? 'the application'
  return htmlPage(model, {
    title: `Continue to ${name}`,
    width: 'focus',
    scripts: ['submit.js'],
    main: html`<section class="card card-focus">
      <div class="lead">
        <h1>Redirecting</h1>
        <p>Continuing to <strong>${name}</strong>.</p>
      </div>
      <form method="post" action="${model.action}" data-submit>
        ${hiddenFields(model.fields)}
        <button class="button button-primary button-wide" type="submit">Continue</button>
      </form>
    </section>`,
  })
}
