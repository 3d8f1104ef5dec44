import { html, type Html } from '../../../kernel/html.ts'
import {
  address,
  emblem,
  moment,
  needsScript,
  notice,
  htmlPage,
  reports,
  type PageModel,
} from '../kit/layout.ts'

export interface DeviceAuthorizationModel extends PageModel {
  readonly signedInAs: { readonly name: string; readonly email: string }
}

export interface DeviceCodeModel extends DeviceAuthorizationModel {
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

export interface DeviceConfirmModel extends DeviceAuthorizationModel {
  readonly userCode: string
  readonly applicationName: string
  readonly scopes: readonly string[]
  readonly ip: string
  /** RFC 3339 */
  readonly requestedAt: string
}

const words: Readonly<Record<string, string>> = {
  openid: 'know your user ID',
  profile: 'see your name',
  email: 'see your email address',
  groups: 'see the names of your groups',
  offline_access: 'stay signed in until you sign out there',
}

const scopeItem = (scope: string): Html =>
  Object.hasOwn(words, scope)
    ? html`<li>${words[scope]}</li>`
    : html`<li>act for you: <strong>${scope}</strong></li>`

const who = ({ signedInAs }: DeviceAuthorizationModel): Html =>
  html`<p class="hint lead">
    <span>You are signed in as <strong>${signedInAs.name}</strong> (${address(signedInAs.email)}).</span>
  </p>`

/** Asks the user for the code on the device. */
export const deviceCodePage = (model: DeviceCodeModel): string =>
  htmlPage(model, {
    title: 'Sign in on another device',
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem('device')}
        <h1>Sign in on another device</h1>
        <p>Enter the code that your terminal shows.</p>
      </div>
      ${model.error && notice('problem', html`<span data-code="${model.error.code}">${model.error.message}</span>`)}
      <form class="stack" method="get" action="/device">
        <div class="field">
          <label for="code">Code</label>
          <input
            id="code"
            name="code"
            type="text"
            required
            maxlength="20"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            aria-describedby="code-hint"
          />
          <p class="hint" id="code-hint">Eight letters, such as BCDF-GHJK.</p>
        </div>
        <button class="button button-primary button-wide" type="submit">Continue</button>
      </form>
      ${who(model)}
    </section>`,
  })

/**
 * Shows the pending request of a code. Its script reads `data-device-code` and posts to `/api/v1/device/{code}`:
 * opening an address approves nothing.
 */
export const deviceConfirmPage = (model: DeviceConfirmModel): string =>
  htmlPage(model, {
    title: 'Approve this sign-in?',
    width: 'focus',
    scripts: ['device.js'],
    main: html`<section class="card card-focus" data-device-code="${model.userCode}">
      <div class="lead">
        ${emblem('device')}
        <h1>Approve this sign-in?</h1>
        <p><strong>${model.applicationName}</strong> wants to sign in as you on another device.</p>
      </div>
      ${notice(
        'problem',
        html`<strong>Approve only if you started this sign-in yourself.</strong> Your terminal must show
          exactly this code. If someone sent you the code or a link to this page, deny the request: approving
          it would give them access to your account.`,
      )}
      <dl class="facts">
        <div>
          <dt>Code</dt>
          <dd class="user-code">${model.userCode}</dd>
        </div>
        <div>
          <dt>It will</dt>
          <dd>
            <ul>
              ${model.scopes.map(scopeItem)}
            </ul>
          </dd>
        </div>
        <div>
          <dt>Requested from</dt>
          <dd>${model.ip}</dd>
        </div>
        <div>
          <dt>Requested at</dt>
          <dd>${moment(model.requestedAt)}</dd>
        </div>
      </dl>
      ${needsScript()}
      <div class="stack needs-script">
        ${reports()}
        <button class="button button-primary button-wide" type="button" data-action="approve">Approve</button>
        <button class="button button-wide" type="button" data-action="deny">Deny</button>
      </div>
      ${who(model)}
    </section>`,
  })

const decided = (model: PageModel, icon: 'done' | 'lock', title: string, message: string): string =>
  htmlPage(model, {
    title,
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem(icon, icon === 'done' ? 'done' : 'plain')}
        <h1>${title}</h1>
        <p>${message}</p>
      </div>
      <a class="button button-wide" href="/account">Open your account</a>
    </section>`,
  })

export const deviceApprovedPage = (model: PageModel): string =>
  decided(
    model,
    'done',
    'Sign-in approved',
    'You are now signed in on the other device. Go back to your terminal; you can close this page.',
  )

export const deviceDeniedPage = (model: PageModel): string =>
  decided(
    model,
    'lock',
    'Sign-in denied',
    'The other device was not signed in. If you did not start this, tell your administrator that someone may have tried to get into your account.',
  )
