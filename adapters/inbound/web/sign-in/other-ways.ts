import { html, type Html } from '../../../kernel/html.ts'
import { reports } from '../kit/layout.ts'
import type { CodeWay, Ways } from './ways.ts'

const PROBLEM = 'other-ways-problem'

const codeHints: Record<CodeWay, string> = {
  authenticator: 'The 6 digits that your authenticator app shows.',
  recovery: 'One of your saved recovery codes, such as abcde-fghij.',
  either: 'The 6 digits that your authenticator app shows, or one of your recovery codes.',
}

const addressField = (email: string | undefined, passkeys: boolean): Html =>
  html`<div class="field">
    <label for="email">Email address</label>
    <input
      id="email"
      name="email"
      type="email"
      maxlength="254"
      autocapitalize="none"
      spellcheck="false"
      autocomplete="${passkeys ? 'username webauthn' : 'username'}"
      aria-describedby="${PROBLEM}"
      ${{ value: email }}
    />
  </div>`

const codeField = (code: CodeWay): Html =>
  html`<div class="field" data-part="code" hidden>
    <label for="code">${code === 'recovery' ? 'Recovery code' : 'Code'}</label>
    <input
      id="code"
      name="code"
      type="text"
      maxlength="32"
      inputmode="${code === 'authenticator' ? 'numeric' : 'text'}"
      autocapitalize="none"
      spellcheck="false"
      autocomplete="one-time-code"
      aria-describedby="code-hint ${PROBLEM}"
      data-codes="${code}"
    />
    <p class="hint" id="code-hint">${codeHints[code]}</p>
  </div>`

const codeButtons = (code: CodeWay): Html =>
  html`<button class="button button-wide" type="button" data-action="use-code">
      ${code === 'recovery' ? 'Use a recovery code instead' : 'Use a code instead'}
    </button>
    <button
      class="button button-primary button-wide"
      type="submit"
      data-action="code"
      data-part="code"
      hidden
    >
      Sign in with this code
    </button>`

/**
 * Sign-in methods that need an address: a code, or a sign-in link. One address field serves both, and the browser
 * offers passkeys in it as well. Undefined if none is available.
 */
export const otherWays = (
  { passkey, code, link }: Ways,
  { email, linkMinutes }: { readonly email: string | undefined; readonly linkMinutes: number },
): Html | undefined =>
  code === null && !link
    ? undefined
    : html`${passkey !== null && html`<p class="or"><span>or</span></p>`}
        <form class="stack" data-form="other-ways" data-link-minutes="${linkMinutes}" novalidate>
          ${addressField(email, passkey !== null)} ${code !== null && codeField(code)} ${reports(PROBLEM)}
          ${code !== null && codeButtons(code)}
          ${
            link &&
            html`<button
              class="button button-wide"
              type="${code === null ? 'submit' : 'button'}"
              data-action="link"
            >
              Email me a link
            </button>`
          }
        </form>`
