import { html, type Html } from '../../../kernel/html.ts'
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
import type { Ways } from './ways.ts'

export interface SignInModel extends PageModel {
  /** The requesting application; omitted if there is none */
  readonly application?: ApplicationMark | undefined
  readonly authRequestId?: string | undefined
  /** A page of this service to continue to, without an application */
  readonly next?: string | undefined
  /** The purpose of that page, as text after "Sign in" */
  readonly purpose?: string | undefined
  readonly loginHint?: string | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
  readonly signedInAs?: { readonly name: string; readonly email: string } | undefined
  readonly ways: Ways
  readonly linkMinutes: number
}

const passkeyButton = (words: string): Html =>
  html`<button class="button button-primary button-wide" type="button" data-action="passkey">
      ${icons.passkey}<span>Sign in with a ${words}</span>
    </button>
    <p class="hint lead">
      ${
        words === 'passkey'
          ? 'Your device asks for your fingerprint, face, PIN or security key.'
          : 'Have your security key ready. You may be asked for its PIN.'
      }
    </p>`

const backToApplication = (application: ApplicationMark, authRequestId: string): Html =>
  html`<form method="post" action="/sign-in/cancel">
    ${hiddenFields({ authRequest: authRequestId })}
    <button class="button button-quiet button-wide" type="submit">Back to ${application.name}</button>
  </form>`

const whoIsMeant = ({ signedInAs, loginHint, ways }: SignInModel): Html | undefined => {
  if (signedInAs)
    return notice(
      'info',
      html`You are signed in as <strong>${signedInAs.name}</strong> (${address(signedInAs.email)}). Please
        confirm your identity.`,
    )
  if (loginHint === undefined) return undefined
  return notice(
    'info',
    ways.passkey === null
      ? html`Sign in as <strong>${address(loginHint)}</strong>`
      : html`Use the ${ways.passkey} of <strong>${address(loginHint)}</strong>`,
  )
}

/** The sign-in page. Its script reads `data-auth-request` and `data-next` and talks to `/api/v1/auth`. */
export const signInPage = (model: SignInModel): string => {
  const { organization, application, authRequestId, next, error, signedInAs, ways } = model
  const { purpose = `to your ${organization.name} account` } = model
  const others = otherWays(ways, {
    email: signedInAs?.email ?? model.loginHint,
    linkMinutes: model.linkMinutes,
  })
  return htmlPage(model, {
    title: application ? `Sign in to ${application.name}` : 'Sign in',
    width: 'focus',
    scripts: ['sign-in.js'],
    main: html`<section class="card card-focus" ${{ 'data-auth-request': authRequestId, 'data-next': next }}>
      <div class="lead">
        ${application && mark(application)}
        <h1>Sign in</h1>
        <p>${application ? html`to continue to <strong>${application.name}</strong>` : purpose}</p>
      </div>
      ${error && notice('problem', html`<span data-code="${error.code}">${error.message}</span>`)}
      ${whoIsMeant(model)} ${needsScript()}
      <div class="stack needs-script">
        ${reports()} ${ways.passkey !== null && passkeyButton(ways.passkey)} ${others}
        ${
          ways.passkey === null &&
          others === undefined &&
          html`<p class="lead">No sign-in method is available. Ask your administrator.</p>`
        }
      </div>
      ${application && authRequestId && backToApplication(application, authRequestId)}
    </section>`,
  })
}
