import type { OwnMethod } from '../../../../domain/user/events.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { icons } from '../kit/icons.ts'
import { moment } from '../kit/layout.ts'
import { dialog, nameField, renameDialog } from './dialog.ts'
import { empty, removes, renames, section } from './frame.ts'

type MethodType = OwnMethod['methodType']

export interface AccountMethod {
  readonly id: string
  readonly type: MethodType
  readonly name: string
  /** RFC 3339, like all times here */
  readonly createdAt: string
  readonly lastUsedAt?: string | undefined
}

const words = texts({
  en: {
    title: 'Sign-in methods',
    hint: 'You can sign in with any one of these. You cannot remove the last one.',
    none: 'No sign-in methods yet.',
    detail: (kind: string, added: Html, used: Html) => html`${kind}, added ${added}. ${used}`,
    used: (at: Html) => html`Last used ${at}.`,
    notUsed: html`Not used yet.`,
    adds: {
      passkey: 'Add a passkey',
      security_key: 'Add a security key',
      authenticator_code: 'Add an authenticator app',
    },
    tellApart: 'Helps you to recognize this sign-in method later.',
    passkeyHint: 'Your device asks for your fingerprint, face or PIN. A security key works as well.',
    passkeyName: 'Name of this passkey',
    myPasskey: 'My passkey',
    createPasskey: 'Create a passkey',
    keyHint:
      'Have your key ready. Your browser asks you to insert it or hold it to your device, then to touch it.',
    keyName: 'Name of this key',
    registerKey: 'Register the key',
    appHint: 'Scan this code with the app, then enter the six digits that it shows.',
    appCode: 'Six digits from the app',
    sixDigits: 'six digits',
    appName: 'Name of this app',
    addApp: 'Add the app',
    remove: 'Remove this sign-in method?',
    noLonger: html`You can no longer sign in with <strong data-subject></strong>.`,
    signedOut:
      'All browsers where you signed in with it are signed out, including this one if you used it here.',
    alsoDelete:
      "Also delete it in your device's settings or in the app; otherwise it is still offered there.",
    rename: 'Rename this sign-in method',
  },
  de: {
    title: 'Anmeldemethoden',
    hint: 'Sie können sich mit jeder davon anmelden. Die letzte können Sie nicht entfernen.',
    none: 'Noch keine Anmeldemethoden.',
    detail: (kind, added, used) => html`${kind}, hinzugefügt am ${added}. ${used}`,
    used: (at) => html`Zuletzt verwendet am ${at}.`,
    notUsed: html`Noch nicht verwendet.`,
    adds: {
      passkey: 'Passkey hinzufügen',
      security_key: 'Sicherheitsschlüssel hinzufügen',
      authenticator_code: 'Authenticator-App hinzufügen',
    },
    tellApart: 'So erkennen Sie diese Anmeldemethode später wieder.',
    passkeyHint:
      'Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN. Ein Sicherheitsschlüssel funktioniert auch.',
    passkeyName: 'Name dieses Passkeys',
    myPasskey: 'Mein Passkey',
    createPasskey: 'Passkey erstellen',
    keyHint:
      'Halten Sie Ihren Schlüssel bereit. Ihr Browser bittet Sie, ihn einzustecken oder an Ihr Gerät zu halten und dann zu berühren.',
    keyName: 'Name dieses Schlüssels',
    registerKey: 'Schlüssel registrieren',
    appHint: 'Scannen Sie diesen Code mit der App und geben Sie dann die sechs Ziffern ein, die sie zeigt.',
    appCode: 'Sechs Ziffern aus der App',
    sixDigits: 'sechs Ziffern',
    appName: 'Name dieser App',
    addApp: 'App hinzufügen',
    remove: 'Diese Anmeldemethode entfernen?',
    noLonger: html`Mit <strong data-subject></strong> können Sie sich nicht mehr anmelden.`,
    signedOut:
      'Alle Browser, in denen Sie sich damit angemeldet haben, werden abgemeldet, auch dieser, wenn Sie sie hier verwendet haben.',
    alsoDelete:
      'Löschen Sie sie auch in den Einstellungen Ihres Geräts oder in der App; sonst wird sie dort weiter angeboten.',
    rename: 'Diese Anmeldemethode umbenennen',
  },
})

const kindIcons: Readonly<Record<MethodType, Html>> = {
  passkey: icons.passkey,
  security_key: icons.key,
  authenticator_code: icons.code,
}

const kindNames = (language: Language): Readonly<Record<MethodType, string>> => ({
  passkey: commonTexts[language].passkey,
  security_key: commonTexts[language].securityKey,
  authenticator_code: commonTexts[language].authenticatorApp,
})

/** The dialog that adds a method of each kind. */
const openers: Readonly<Record<MethodType, string>> = {
  passkey: 'add',
  security_key: 'add-key',
  authenticator_code: 'add-app',
}

const row = ({ id, type, name, createdAt, lastUsedAt }: AccountMethod, language: Language): Html => {
  const text = words[language]
  const kind = kindNames(language)[type]
  const subject = { id, name: name === '' ? kind : name }
  const used = lastUsedAt ? text.used(moment(lastUsedAt, language)) : text.notUsed
  return html`<li>
    <span class="glyph">${kindIcons[type]}</span>
    <div>
      <p class="row-title">${subject.name}</p>
      <p class="row-detail">${text.detail(kind, moment(createdAt, language), used)}</p>
    </div>
    <div class="actions needs-script">
      ${renames('rename', subject, language)} ${removes('remove', subject, language)}
    </div>
  </li>`
}

/** @param offered the kinds that the organization allows users to add */
export const methodsSection = (
  all: readonly AccountMethod[],
  offered: readonly MethodType[],
  language: Language,
): Html =>
  section({
    id: 'methods',
    title: words[language].title,
    hint: words[language].hint,
    body: html`${
        all.length > 0
          ? html`<ul class="rows">
              ${all.map((method) => row(method, language))}
            </ul>`
          : empty(words[language].none)
      }
      <div class="actions section-foot needs-script">
        ${offered.map(
          (type) =>
            html`<button class="button button-small" type="button" data-open="${openers[type]}">
              ${words[language].adds[type]}
            </button>`,
        )}
      </div>`,
  })

const addPasskeyDialog = (language: Language): Html => {
  const {
    adds,
    passkeyHint,
    passkeyName: label,
    tellApart: hint,
    myPasskey: value,
    createPasskey,
  } = words[language]
  return dialog({
    language,
    name: 'add',
    title: adds.passkey,
    body: html`<p>${passkeyHint}</p>
      ${nameField({ id: 'add-name', label, hint, value })}`,
    confirm: createPasskey,
  })
}

const addKeyDialog = (language: Language): Html => {
  const { adds, keyHint, keyName: label, tellApart: hint, registerKey } = words[language]
  return dialog({
    language,
    name: 'add-key',
    title: adds.security_key,
    body: html`<p>${keyHint}</p>
      ${nameField({ id: 'add-key-name', label, hint, value: commonTexts[language].securityKey })}`,
    confirm: registerKey,
  })
}

const addAppDialog = (language: Language): Html => {
  const { adds, appHint, appCode, sixDigits, appName: label, tellApart: hint, addApp } = words[language]
  return dialog({
    language,
    name: 'add-app',
    title: adds.authenticator_code,
    body: html`<p>${appHint}</p>
      <div class="stack" data-key></div>
      <div class="field">
        <label for="add-app-code">${appCode}</label>
        <input
          id="add-app-code"
          name="code"
          type="text"
          inputmode="numeric"
          autocomplete="one-time-code"
          pattern="\\s*([0-9]\\s*){6}"
          title="${sixDigits}"
          required
        />
      </div>
      ${nameField({ id: 'add-app-name', label, hint, value: commonTexts[language].authenticatorApp })}`,
    confirm: addApp,
  })
}

const removeDialog = (language: Language): Html => {
  const { remove, noLonger, signedOut, alsoDelete } = words[language]
  return dialog({
    language,
    name: 'remove',
    title: remove,
    body: html`<p>${noLonger}</p>
      <p>${signedOut}</p>
      <p>${alsoDelete}</p>`,
    confirm: commonTexts[language].remove,
    look: 'problem',
  })
}

const dialogs: Readonly<Record<MethodType, (language: Language) => Html>> = {
  passkey: addPasskeyDialog,
  security_key: addKeyDialog,
  authenticator_code: addAppDialog,
}

export const methodsDialogs = (offered: readonly MethodType[], language: Language): Html =>
  html`${offered.map((type) => dialogs[type](language))}
  ${renameDialog('rename', words[language].rename, language)} ${removeDialog(language)}`
