import { html, type Html } from '../kit/html.ts'
import { icons } from '../kit/icons.ts'
import {
  address,
  hiddenFields,
  mark,
  needsScript,
  notice,
  page,
  reports,
  type ApplicationMark,
  type PageModel,
} from '../kit/layout.ts'

export interface SignInModel extends PageModel {
  /** The application that asked; absent when the person came on their own. */
  readonly application?: ApplicationMark | undefined
  readonly authRequestId?: string | undefined
  /** A page of ours to go on to, when no application asked: a sign-in on another device. */
  readonly next?: string | undefined
  readonly loginHint?: string | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
  readonly signedInAs?: { readonly name: string; readonly email: string } | undefined
}

const passkeyButton = (): Html =>
  html`<button class="button button-primary button-wide" type="button" data-action="passkey">
    ${icons.passkey}<span>Sign in with a passkey</span>
  </button>`

const backToApplication = (application: ApplicationMark, authRequestId: string): Html =>
  html`<form method="post" action="/sign-in/cancel">
    ${hiddenFields({ authRequest: authRequestId })}
    <button class="button button-quiet button-wide" type="submit">Back to ${application.name}</button>
  </form>`

/** The sign-in page. Its script reads `data-auth-request` and talks to `/api/v1/auth/passkey`. */
export const signInPage = (model: SignInModel): string => {
  const { organization, application, authRequestId, next, loginHint, error, signedInAs } = model
  const purpose = application
    ? html`to continue to <strong>${application.name}</strong>`
    : next === undefined
      ? html`to your ${organization.name} account`
      : html`to approve a sign-in on another device`
  const who = signedInAs
    ? notice(
        'info',
        html`You are signed in as <strong>${signedInAs.name}</strong> (${address(signedInAs.email)}). Please
          confirm that it is you.`,
      )
    : loginHint && notice('info', html`Use the passkey of <strong>${address(loginHint)}</strong>`)
  const methods = [passkeyButton()]
  return page(model, {
    title: application ? `Sign in to ${application.name}` : 'Sign in',
    width: 'focus',
    scripts: ['sign-in.js'],
    main: html`<section class="card card-focus" ${{ 'data-auth-request': authRequestId, 'data-next': next }}>
      <div class="lead">
        ${application && mark(application)}
        <h1>Sign in</h1>
        <p>${purpose}</p>
      </div>
      ${error && notice('problem', html`<span data-code="${error.code}">${error.message}</span>`)} ${who}
      ${needsScript()}
      <div class="stack needs-script">
        ${reports()} ${methods}
        <p class="hint lead">Your device asks for your fingerprint, face, PIN or security key.</p>
      </div>
      ${application && authRequestId && backToApplication(application, authRequestId)}
    </section>`,
  })
}
