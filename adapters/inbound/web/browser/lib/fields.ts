import { report } from './page.ts'
import { texts } from './texts.ts'

const words = texts({
  en: {
    email: 'Enter your email address.',
    fullEmail: 'Enter a full address, such as name@example.com.',
    name: 'Enter your name.',
    codes: {
      authenticator: 'Enter the 6 digits that your app shows.',
      recovery: 'Enter a full recovery code, such as abcde-fghij.',
      either: 'Enter the 6 digits that your app shows, or a full recovery code.',
    },
  },
  de: {
    email: 'Geben Sie Ihre E-Mail-Adresse ein.',
    fullEmail: 'Geben Sie eine vollständige Adresse ein, zum Beispiel name@example.com.',
    name: 'Geben Sie Ihren Namen ein.',
    codes: {
      authenticator: 'Geben Sie die 6 Ziffern ein, die Ihre App zeigt.',
      recovery: 'Geben Sie einen vollständigen Wiederherstellungscode ein, zum Beispiel abcde-fghij.',
      either:
        'Geben Sie die 6 Ziffern ein, die Ihre App zeigt, oder einen vollständigen Wiederherstellungscode.',
    },
  },
})

/** Marks an invalid field, shows the reason, and focuses it with its contents. */
export const fieldProblem = (scope: ParentNode, field: HTMLInputElement, text: string): void => {
  report(scope, 'problem', text)
  markField(field)
}

/** Marks a field with a reported problem until it is changed, and focuses it. */
export const markField = (field: HTMLInputElement): void => {
  field.setAttribute('aria-invalid', 'true')
  field.addEventListener('input', () => field.removeAttribute('aria-invalid'), { once: true })
  field.focus()
  // Not every type of field has text to select.
  if (field.type === 'text') field.select()
}

/** Returns the entered address, or null after showing the field's problem. */
export const readAddress = (scope: ParentNode, field: HTMLInputElement): string | null => {
  const email = field.value.trim()
  if (email !== '' && !field.validity.typeMismatch) return email
  fieldProblem(scope, field, email === '' ? words().email : words().fullEmail)
  return null
}

/** Returns the name and address of the first administrator, or null after showing the field's problem. */
export const readProfile = (
  form: HTMLFormElement,
): { readonly name: string; readonly email: string } | null => {
  const nameField = form.querySelector<HTMLInputElement>('[name="name"]')
  const emailField = form.querySelector<HTMLInputElement>('[name="email"]')
  if (!nameField || !emailField) return null
  const name = nameField.value.trim()
  if (name === '') {
    fieldProblem(form, nameField, words().name)
    return null
  }
  const email = readAddress(form, emailField)
  if (email === null) return null
  report(form, 'problem')
  return { name, email }
}

const sixDigits = /^\d{6}$/
const recoveryCode = /^[a-z0-9]{5}-?[a-z0-9]{5}$/i

/** Returns the entered code in normalized form, or null after showing the field's problem. */
export const readCode = (
  scope: ParentNode,
  field: HTMLInputElement,
  takes: 'authenticator' | 'recovery' | 'either' = 'authenticator',
): string | null => {
  const code = field.value.replace(/\s/g, '')
  if (takes !== 'recovery' && sixDigits.test(code)) return code
  if (takes !== 'authenticator' && recoveryCode.test(code)) return code
  fieldProblem(scope, field, words().codes[takes])
  return null
}
