import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { icons, type IconName } from '../kit/icons.ts'
import { reports } from '../kit/layout.ts'

const words = texts({
  en: {
    passkeyName: 'Name of this passkey',
    myPasskey: 'My passkey',
    passkeysApart: 'Helps you tell your passkeys apart later.',
    createPasskey: 'Create a passkey',
    passkeyHint:
      'Your device keeps the passkey and asks for your fingerprint, face or PIN. There is no password to remember.',
    passkeyDetail: 'Fingerprint, face or PIN. Fast and the most secure.',
    keyName: 'Name of this security key',
    myKey: 'My security key',
    keysApart: 'Helps you tell your keys apart later.',
    registerKey: 'Register a security key',
    keyHint: 'Have your key ready: insert it or hold it to your device, then touch it.',
    keyDetail: 'A small USB or NFC key. Just as secure.',
    appHint:
      'An authenticator app on your phone shows a new 6-digit code every 30 seconds. You type one whenever you sign in.',
    appCode: 'Code from the app',
    setUpApp: 'Set up an authenticator app',
    appDetail: 'Codes from an app on your phone.',
    yourName: 'Your name',
    yourEmail: 'Your email address',
    confirmLater: 'You can confirm it on your account page later.',
    noMethod: 'Your organization allows no sign-in method that you can set up here. Ask your administrator.',
    howSignIn: 'How do you want to sign in?',
  },
  de: {
    passkeyName: 'Name dieses Passkeys',
    myPasskey: 'Mein Passkey',
    passkeysApart: 'So unterscheiden Sie Ihre Passkeys später.',
    createPasskey: 'Passkey erstellen',
    passkeyHint:
      'Ihr Gerät bewahrt den Passkey auf und fragt nach Fingerabdruck, Gesicht oder PIN. Sie müssen sich kein Passwort merken.',
    passkeyDetail: 'Fingerabdruck, Gesicht oder PIN. Schnell und am sichersten.',
    keyName: 'Name dieses Sicherheitsschlüssels',
    myKey: 'Mein Sicherheitsschlüssel',
    keysApart: 'So unterscheiden Sie Ihre Schlüssel später.',
    registerKey: 'Sicherheitsschlüssel registrieren',
    keyHint:
      'Halten Sie Ihren Schlüssel bereit: Stecken Sie ihn ein oder halten Sie ihn an Ihr Gerät, und berühren Sie ihn dann.',
    keyDetail: 'Ein kleiner USB- oder NFC-Schlüssel. Genauso sicher.',
    appHint:
      'Eine Authenticator-App auf Ihrem Telefon zeigt alle 30 Sekunden einen neuen sechsstelligen Code. Sie geben bei jeder Anmeldung einen ein.',
    appCode: 'Code aus der App',
    setUpApp: 'Authenticator-App einrichten',
    appDetail: 'Codes aus einer App auf Ihrem Telefon.',
    yourName: 'Ihr Name',
    yourEmail: 'Ihre E-Mail-Adresse',
    confirmLater: 'Sie können sie später auf Ihrer Kontoseite bestätigen.',
    noMethod:
      'Ihre Organisation erlaubt keine Anmeldemethode, die Sie hier einrichten können. Fragen Sie Ihren Administrator.',
    howSignIn: 'Wie möchten Sie sich anmelden?',
  },
})

type Words = (typeof words)[Language]

/** A name for the new method; the script proposes the kind of device instead of the default. */
const nameField = (id: string, label: string, value: string, hint: string, proposed: boolean): Html =>
  html`<div class="field">
    <label for="${id}">${label}</label>
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

const passkeyForm = (text: Words): Html =>
  html`<form class="stack" data-form="enroll" data-kind="passkey">
    ${nameField('passkey-name', text.passkeyName, text.myPasskey, text.passkeysApart, true)} ${reports()}
    <button class="button button-primary button-wide" type="submit">
      ${icons.passkey}<span>${text.createPasskey}</span>
    </button>
    <p class="hint lead">${text.passkeyHint}</p>
  </form>`

const securityKeyForm = (text: Words): Html =>
  html`<form class="stack" data-form="enroll" data-kind="security_key">
    ${nameField('key-name', text.keyName, text.myKey, text.keysApart, false)} ${reports()}
    <button class="button button-primary button-wide" type="submit">
      ${icons.key}<span>${text.registerKey}</span>
    </button>
    <p class="hint lead">${text.keyHint}</p>
  </form>`

const authenticatorForm = (text: Words): Html =>
  html`<form class="stack" data-form="authenticator" novalidate>
    <p>${text.appHint}</p>
    <div class="stack" data-part="key" tabindex="-1" hidden></div>
    <div class="field" data-part="code" hidden>
      <label for="first-code">${text.appCode}</label>
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
      ${icons.code}<span data-label>${text.setUpApp}</span>
    </button>
  </form>`

interface EnrollWay {
  readonly method: string
  readonly label: string
  readonly detail: string
  readonly icon: IconName
  readonly form: (text: Words) => Html
}

/** In recommended order. */
const enrollWays = (language: Language): readonly EnrollWay[] => [
  {
    method: 'passkey',
    label: commonTexts[language].passkey,
    detail: words[language].passkeyDetail,
    icon: 'passkey',
    form: passkeyForm,
  },
  {
    method: 'security_key',
    label: commonTexts[language].securityKey,
    detail: words[language].keyDetail,
    icon: 'key',
    form: securityKeyForm,
  },
  {
    method: 'authenticator_code',
    label: commonTexts[language].authenticatorApp,
    detail: words[language].appDetail,
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
const profileFields = (text: Words): Html =>
  html`<form class="stack" data-form="profile" novalidate>
    <div class="field">
      <label for="profile-name">${text.yourName}</label>
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
      <label for="profile-email">${text.yourEmail}</label>
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
      <p class="hint" id="profile-email-hint">${text.confirmLater}</p>
    </div>
    ${reports('profile-problem')}
  </form>`

/**
 * Returns the choice and the forms of the allowed methods; a single method needs no choice.
 * @param asksProfile whether the user also enters a profile
 */
export const enrollForms = (allowed: readonly string[], asksProfile: boolean, language: Language): Html => {
  const text = words[language]
  const ways = enrollWays(language).filter(({ method }) => allowed.includes(method))
  if (ways.length === 0) return html`<p>${text.noMethod}</p>`
  return html`<div class="stack needs-script">
    ${asksProfile && profileFields(text)}
    ${
      ways.length > 1 &&
      html`<fieldset class="choices" data-choices>
        <legend>${text.howSignIn}</legend>
        ${ways.map(choiceOf)}
      </fieldset>`
    }
    ${ways.map(
      ({ method, form }, index) =>
        html`<div data-way="${method}" ${{ hidden: index > 0 }}>${form(text)}</div>`,
    )}
  </div>`
}
