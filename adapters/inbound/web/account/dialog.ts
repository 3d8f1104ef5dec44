import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { reports } from '../kit/layout.ts'

const words = texts({
  en: {
    confirm: 'Confirm your identity',
    tooOld:
      'You signed in more than ten minutes ago. Changing your sign-in methods requires a recent sign-in, to protect your account if you leave this browser open.',
    thenReturn: 'You will then return to this page.',
    signInAgain: 'Sign in again',
    stronger: 'Sign in with your strongest method',
    lostMethod: 'If you lost that method, ask an administrator to reset your sign-in methods.',
  },
  de: {
    confirm: 'Bestätigen Sie Ihre Identität',
    tooOld:
      'Ihre Anmeldung liegt mehr als zehn Minuten zurück. Um Anmeldemethoden zu ändern, müssen Sie sich vor Kurzem angemeldet haben. Das schützt Ihr Konto, wenn Sie diesen Browser offen lassen.',
    thenReturn: 'Danach kehren Sie zu dieser Seite zurück.',
    signInAgain: 'Erneut anmelden',
    stronger: 'Melden Sie sich mit Ihrer stärksten Methode an',
    lostMethod:
      'Wenn Sie diese Methode verloren haben, bitten Sie einen Administrator, Ihre Anmeldemethoden zurückzusetzen.',
  },
})

interface DialogParts {
  readonly language: Language
  readonly name: string
  /** The action of the script; default: the name */
  readonly form?: string
  readonly title: string
  readonly body: Html
  /** Label of the confirming button */
  readonly confirm: string
  readonly look?: 'primary' | 'problem'
}

/**
 * Returns a dialog. The script opens it from any button with `data-open="<name>"`, writes the button's `data-name`
 * into every `data-subject`, and sends its form.
 */
export const dialog = ({
  language,
  name,
  form = name,
  title,
  body,
  confirm,
  look = 'primary',
}: DialogParts): Html =>
  html`<dialog id="${name}-dialog" aria-labelledby="${name}-title">
    <form class="dialog-body" data-form="${form}">
      <h2 id="${name}-title">${title}</h2>
      ${body} ${reports()}
      <div class="actions">
        <button class="button" type="button" data-action="close">${commonTexts[language].cancel}</button>
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

export const renameDialog = (name: string, title: string, language: Language): Html =>
  dialog({
    language,
    name,
    title,
    body: nameField({ id: `${name}-name`, label: commonTexts[language].name, required: true }),
    confirm: commonTexts[language].save,
  })

/** Shown if an action requires a recent sign-in. */
export const againDialog = (language: Language): Html =>
  dialog({
    language,
    name: 'again',
    title: words[language].confirm,
    body: html`<p>${words[language].tooOld}</p>
      <p>${words[language].thenReturn}</p>`,
    confirm: words[language].signInAgain,
  })

/** Shown if an action requires a stronger sign-in; the service names the method. */
export const strongerDialog = (language: Language): Html =>
  dialog({
    language,
    name: 'stronger',
    title: words[language].stronger,
    body: html`<p data-reason></p>
      <p>${words[language].thenReturn} ${words[language].lostMethod}</p>`,
    confirm: words[language].signInAgain,
  })
