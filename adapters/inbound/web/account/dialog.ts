import { html, type Html } from '../../../kernel/html.ts'
import { reports } from '../kit/layout.ts'

interface DialogParts {
  readonly name: string
  readonly title: string
  readonly body: Html
  /** Label of the confirming button */
  readonly confirm: string
  readonly look?: 'primary' | 'problem'
  readonly cancel?: string
}

/**
 * Returns a dialog. The script opens it from any button with `data-open="<name>"`, writes the button's `data-name`
 * into every `data-subject`, and sends its form.
 */
export const dialog = ({
  name,
  title,
  body,
  confirm,
  look = 'primary',
  cancel = 'Cancel',
}: DialogParts): Html =>
  html`<dialog id="${name}-dialog" aria-labelledby="${name}-title">
    <form class="dialog-body" data-form="${name}">
      <h2 id="${name}-title">${title}</h2>
      ${body} ${reports()}
      <div class="actions">
        <button class="button" type="button" data-action="close">${cancel}</button>
        <button class="button button-${look}" type="submit">${confirm}</button>
      </div>
    </form>
  </dialog>`

interface NameField {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly value?: string
  readonly required?: boolean
}

/** A field for the name of a user's device or sign-in method. */
export const nameField = ({ id, label, hint, value, required = false }: NameField): Html =>
  html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="name"
      type="text"
      maxlength="100"
      autocomplete="off"
      ${{ value, required, 'aria-describedby': hint && `${id}-hint` }}
    />
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`

export const renameDialog = (name: string, title: string): Html =>
  dialog({
    name,
    title,
    body: nameField({ id: `${name}-name`, label: 'Name', required: true }),
    confirm: 'Save',
  })

/** Shown if an action requires a recent sign-in. */
export const againDialog = (): Html =>
  dialog({
    name: 'again',
    title: 'Confirm your identity',
    body: html`<p>
        You signed in more than ten minutes ago. Changing your sign-in methods requires a recent sign-in, to
        protect your account if you leave this browser open.
      </p>
      <p>You will then return to this page.</p>`,
    confirm: 'Sign in again',
  })

/** Shown if an action requires a stronger sign-in; the service names the method. */
export const strongerDialog = (): Html =>
  dialog({
    name: 'stronger',
    title: 'Sign in with your strongest method',
    body: html`<p data-reason></p>
      <p>
        You will then return to this page. If you lost that method, ask an administrator to reset your sign-in
        methods.
      </p>`,
    confirm: 'Sign in again',
  })
