import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { reports } from '../kit/layout.ts'
import type { CodeWay, Ways } from './ways.ts'

const PROBLEM = 'other-ways-problem'

const words = texts({
  en: {
    hints: {
      authenticator: 'The 6 digits that your authenticator app shows.',
      recovery: 'One of your saved recovery codes, such as abcde-fghij.',
      either: 'The 6 digits that your authenticator app shows, or one of your recovery codes.',
    },
    email: 'Email address',
    code: 'Code',
    recoveryCode: 'Recovery code',
    useCode: 'Use a code instead',
    useRecoveryCode: 'Use a recovery code instead',
    signIn: 'Sign in with this code',
    or: 'or',
    link: 'Email me a link',
  },
  de: {
    hints: {
      authenticator: 'Die 6 Ziffern, die Ihre Authenticator-App zeigt.',
      recovery: 'Einer Ihrer gespeicherten Wiederherstellungscodes, zum Beispiel abcde-fghij.',
      either: 'Die 6 Ziffern, die Ihre Authenticator-App zeigt, oder einer Ihrer Wiederherstellungscodes.',
    },
    email: 'E-Mail-Adresse',
    code: 'Code',
    recoveryCode: 'Wiederherstellungscode',
    useCode: 'Stattdessen einen Code verwenden',
    useRecoveryCode: 'Stattdessen einen Wiederherstellungscode verwenden',
    signIn: 'Mit diesem Code anmelden',
    or: 'oder',
    link: 'Link per E-Mail senden',
  },
})

type Words = (typeof words)[Language]

const addressField = (text: Words, email: string | undefined, passkeys: boolean): Html =>
  html`<div class="field">
    <label for="email">${text.email}</label>
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

const codeField = (text: Words, code: CodeWay): Html =>
  html`<div class="field" data-part="code" hidden>
    <label for="code">${code === 'recovery' ? text.recoveryCode : text.code}</label>
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
    <p class="hint" id="code-hint">${text.hints[code]}</p>
  </div>`

const codeButtons = (text: Words, code: CodeWay): Html =>
  html`<button class="button button-wide" type="button" data-action="use-code">
      ${code === 'recovery' ? text.useRecoveryCode : text.useCode}
    </button>
    <button
      class="button button-primary button-wide"
      type="submit"
      data-action="code"
      data-part="code"
      hidden
    >
      ${text.signIn}
    </button>`

/**
 * Sign-in methods that need an address: a code, or a sign-in link. One address field serves both, and the browser
 * offers passkeys in it as well. Undefined if none is available.
 */
export const otherWays = (
  { passkey, code, link, homeRealms }: Ways,
  {
    email,
    linkMinutes,
    language,
  }: { readonly email: string | undefined; readonly linkMinutes: number; readonly language: Language },
): Html | undefined => {
  const text = words[language]
  return code === null && !link
    ? undefined
    : html`${passkey !== null && html`<p class="or"><span>${text.or}</span></p>`}
        <form
          class="stack"
          data-form="other-ways"
          data-link-minutes="${linkMinutes}"
          ${{ 'data-home-realms': homeRealms ? '' : undefined }}
          novalidate
        >
          ${addressField(text, email, passkey !== null)} ${code !== null && codeField(text, code)}
          ${reports(PROBLEM)} ${code !== null && codeButtons(text, code)}
          ${
            link &&
            html`<button
              class="button button-wide"
              type="${code === null ? 'submit' : 'button'}"
              data-action="link"
            >
              ${text.link}
            </button>`
          }
        </form>`
}
