import { html, type Html } from '../../../kernel/html.ts'
import { icons, type IconName } from '../kit/icons.ts'
import { reports } from '../kit/layout.ts'

/** A name for the new method; the script proposes the kind of device instead of the default. */
const nameField = (id: string, what: string, value: string, hint: string, proposed: boolean): Html =>
  html`<div class="field">
    <label for="${id}">Name of this ${what}</label>
    <input
      id="${id}"
      name="name"
      type="text"
      value="${value}"
      maxlength="100"
      autocomplete="off"
      aria-describedby="${id}-hint"
      ${{ 'data-device-name': proposed }}
    />
    <p class="hint" id="${id}-hint">${hint}</p>
  </div>`

/** Name field of a new passkey. */
const passkeyNameField = (id: string): Html =>
  nameField(id, 'passkey', 'My passkey', 'Helps you tell your passkeys apart later.', true)

const passkeyForm = (): Html =>
  html`<form class="stack" data-form="enroll" data-kind="passkey">
    ${passkeyNameField('passkey-name')} ${reports()}
    <button class="button button-primary button-wide" type="submit">
      ${icons.passkey}<span>Create a passkey</span>
    </button>
    <p class="hint lead">
      Your device keeps the passkey and asks for your fingerprint, face or PIN. There is no password to
      remember.
    </p>
  </form>`

const securityKeyForm = (): Html =>
  html`<form class="stack" data-form="enroll" data-kind="security_key">
    ${nameField('key-name', 'security key', 'My security key', 'Helps you tell your keys apart later.', false)}
    ${reports()}
    <button class="button button-primary button-wide" type="submit">
      ${icons.key}<span>Register a security key</span>
    </button>
    <p class="hint lead">Have your key ready: insert it or hold it to your device, then touch it.</p>
  </form>`

const authenticatorForm = (): Html =>
  html`<form class="stack" data-form="authenticator" novalidate>
    <p>
      An authenticator app on your phone shows a new 6-digit code every 30 seconds. You type one whenever you
      sign in.
    </p>
    <div class="stack" data-part="key" tabindex="-1" hidden></div>
    <div class="field" data-part="code" hidden>
      <label for="first-code">Code from the app</label>
      <input
        id="first-code"
        name="code"
        type="text"
        inputmode="numeric"
        maxlength="12"
        autocomplete="one-time-code"
        spellcheck="false"
        aria-describedby="authenticator-problem"
      />
    </div>
    ${reports('authenticator-problem')}
    <button class="button button-primary button-wide" type="submit">
      ${icons.code}<span data-label>Set up an authenticator app</span>
    </button>
  </form>`

interface EnrollWay {
  readonly method: string
  readonly label: string
  readonly detail: string
  readonly icon: IconName
  readonly form: () => Html
}

/** In recommended order. */
const enrollWays: readonly EnrollWay[] = [
  {
    method: 'passkey',
    label: 'Passkey',
    detail: 'Fingerprint, face or PIN. Fast and the most secure.',
    icon: 'passkey',
    form: passkeyForm,
  },
  {
    method: 'security_key',
    label: 'Security key',
    detail: 'A small USB or NFC key. Just as secure.',
    icon: 'key',
    form: securityKeyForm,
  },
  {
    method: 'authenticator_code',
    label: 'Authenticator app',
    detail: 'Codes from an app on your phone.',
    icon: 'code',
    form: authenticatorForm,
  },
]

const choiceOf = ({ method, label, detail, icon }: EnrollWay, index: number): Html =>
  html`<label class="choice">
    <input type="radio" name="way" value="${method}" ${{ checked: index === 0 }} />
    ${icons[icon]}
    <span><span class="choice-label">${label}</span> <span class="hint">${detail}</span></span>
  </label>`

/** Only for the first administrator, sent with either form. */
const profileFields = (): Html =>
  html`<form class="stack" data-form="profile" novalidate>
    <div class="field">
      <label for="profile-name">Your name</label>
      <input
        id="profile-name"
        name="name"
        type="text"
        required
        maxlength="200"
        autocomplete="name"
        aria-describedby="profile-problem"
      />
    </div>
    <div class="field">
      <label for="profile-email">Your email address</label>
      <input
        id="profile-email"
        name="email"
        type="email"
        required
        maxlength="254"
        autocomplete="email"
        spellcheck="false"
        aria-describedby="profile-email-hint profile-problem"
      />
      <p class="hint" id="profile-email-hint">You can confirm it on your account page later.</p>
    </div>
    ${reports('profile-problem')}
  </form>`

/**
 * Returns the choice and the forms of the allowed methods; a single method needs no choice.
 * @param asksProfile whether the user also enters a profile
 */
export const enrollForms = (allowed: readonly string[], asksProfile: boolean): Html => {
  const ways = enrollWays.filter(({ method }) => allowed.includes(method))
  if (ways.length === 0)
    return html`<p>
      Your organization allows no sign-in method that you can set up here. Ask your administrator.
    </p>`
  return html`<div class="stack needs-script">
    ${asksProfile && profileFields()}
    ${
      ways.length > 1 &&
      html`<fieldset class="choices" data-choices>
        <legend>How do you want to sign in?</legend>
        ${ways.map(choiceOf)}
      </fieldset>`
    }
    ${ways.map(
      ({ method, form }, index) => html`<div data-way="${method}" ${{ hidden: index > 0 }}>${form()}</div>`,
    )}
  </div>`
}
