import type { OwnMethod } from '../../../../domain/user/events.ts'
import { html, type Html } from '../../../kernel/html.ts'
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

const kinds: Readonly<Record<MethodType, { readonly label: string; readonly icon: Html }>> = {
  passkey: { label: 'Passkey', icon: icons.passkey },
  security_key: { label: 'Security key', icon: icons.key },
  authenticator_code: { label: 'Authenticator app', icon: icons.code },
}

const additions: Readonly<Record<MethodType, { readonly opens: string; readonly label: string }>> = {
  passkey: { opens: 'add', label: 'Add a passkey' },
  security_key: { opens: 'add-key', label: 'Add a security key' },
  authenticator_code: { opens: 'add-app', label: 'Add an authenticator app' },
}

const row = ({ id, type, name, createdAt, lastUsedAt }: AccountMethod): Html => {
  const { label, icon } = kinds[type]
  const subject = { id, name: name === '' ? label : name }
  return html`<li>
    <span class="glyph">${icon}</span>
    <div>
      <p class="row-title">${subject.name}</p>
      <p class="row-detail">
        ${label}, added ${moment(createdAt)}.
        ${lastUsedAt ? html`Last used ${moment(lastUsedAt)}.` : 'Not used yet.'}
      </p>
    </div>
    <div class="actions needs-script">${renames('rename', subject)} ${removes('remove', subject)}</div>
  </li>`
}

/** @param offered the kinds that the organization allows users to add */
export const methodsSection = (all: readonly AccountMethod[], offered: readonly MethodType[]): Html =>
  section({
    id: 'methods',
    title: 'Sign-in methods',
    hint: 'You can sign in with any one of these. You cannot remove the last one.',
    body: html`${
        all.length > 0
          ? html`<ul class="rows">
              ${all.map(row)}
            </ul>`
          : empty('No sign-in methods yet.')
      }
      <div class="actions section-foot needs-script">
        ${offered.map(
          (type) =>
            html`<button class="button button-small" type="button" data-open="${additions[type].opens}">
              ${additions[type].label}
            </button>`,
        )}
      </div>`,
  })

const tellApart = 'Helps you to recognize this sign-in method later.'

const addPasskeyDialog = (): Html =>
  dialog({
    name: 'add',
    title: 'Add a passkey',
    body: html`<p>Your device asks for your fingerprint, face or PIN. A security key works as well.</p>
      ${nameField({ id: 'add-name', label: 'Name of this passkey', hint: tellApart, value: 'My passkey' })}`,
    confirm: 'Create a passkey',
  })

const addKeyDialog = (): Html =>
  dialog({
    name: 'add-key',
    title: 'Add a security key',
    body: html`<p>
        Have your key ready. Your browser asks you to insert it or hold it to your device, then to touch it.
      </p>
      ${nameField({ id: 'add-key-name', label: 'Name of this key', hint: tellApart, value: 'Security key' })}`,
    confirm: 'Register the key',
  })

const addAppDialog = (): Html =>
  dialog({
    name: 'add-app',
    title: 'Add an authenticator app',
    body: html`<p>Scan this code with the app, then enter the six digits that it shows.</p>
      <div class="stack" data-key></div>
      <div class="field">
        <label for="add-app-code">Six digits from the app</label>
        <input
          id="add-app-code"
          name="code"
          type="text"
          inputmode="numeric"
          autocomplete="one-time-code"
          pattern="\\s*([0-9]\\s*){6}"
          title="six digits"
          required
        />
      </div>
      ${nameField({ id: 'add-app-name', label: 'Name of this app', hint: tellApart, value: 'Authenticator app' })}`,
    confirm: 'Add the app',
  })

const removeDialog = (): Html =>
  dialog({
    name: 'remove',
    title: 'Remove this sign-in method?',
    body: html`<p>You can no longer sign in with <strong data-subject></strong>.</p>
      <p>All browsers where you signed in with it are signed out, including this one if you used it here.</p>
      <p>Also delete it in your device's settings or in the app; otherwise it is still offered there.</p>`,
    confirm: 'Remove',
    look: 'problem',
  })

const dialogs: Readonly<Record<MethodType, () => Html>> = {
  passkey: addPasskeyDialog,
  security_key: addKeyDialog,
  authenticator_code: addAppDialog,
}

export const methodsDialogs = (offered: readonly MethodType[]): Html =>
  html`${offered.map((type) => dialogs[type]())} ${renameDialog('rename', 'Rename this sign-in method')}
  ${removeDialog()}`
