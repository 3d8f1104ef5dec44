import { html, type Html } from '../kit/html.ts'
import { reports } from '../kit/layout.ts'
import { passkeyNameField } from '../sign-in/enroll-page.ts'

interface DialogParts {
  readonly name: string
  readonly title: string
  readonly body: Html
  readonly confirm: Html
}

const dialog = ({ name, title, body, confirm }: DialogParts): Html =>
  html`<dialog id="${name}-dialog" aria-labelledby="${name}-title">
    <form class="dialog-body" data-form="${name}">
      <h2 id="${name}-title">${title}</h2>
      ${body} ${reports()}
      <div class="actions">
        <button class="button" type="button" data-action="close">Cancel</button>
        ${confirm}
      </div>
    </form>
  </dialog>`

/** The dialogs of the account page; the script opens them and fills in `data-subject`, the passkey's name. */
export const accountDialogs = (): Html =>
  html`${dialog({
    name: 'add',
    title: 'Add a passkey',
    body: html`<p>Your device asks for your fingerprint, face or PIN. A security key works as well.</p>
      ${passkeyNameField('add-name')}`,
    confirm: html`<button class="button button-primary" type="submit">Create a passkey</button>`,
  })}
  ${dialog({
    name: 'rename',
    title: 'Rename this passkey',
    body: html`<div class="field">
      <label for="rename-name">Name</label>
      <input id="rename-name" name="name" type="text" required maxlength="100" autocomplete="off" />
    </div>`,
    confirm: html`<button class="button button-primary" type="submit">Save</button>`,
  })}
  ${dialog({
    name: 'remove',
    title: 'Remove this passkey?',
    body: html`<p>
      You can no longer sign in with <strong data-subject></strong>. Delete it in your device's settings as
      well, or it will still be offered there.
    </p>`,
    confirm: html`<button class="button button-problem" type="submit">Remove</button>`,
  })}`
