import { report } from './page.ts'

/** A field that is not right yet: says why, marks it, and puts the person there with all they typed. */
export const fieldProblem = (scope: ParentNode, field: HTMLInputElement, text: string): void => {
  report(scope, 'problem', text)
  markField(field)
}

/** Marks a field whose problem has been reported, until it is changed, and moves there. */
export const markField = (field: HTMLInputElement): void => {
  field.setAttribute('aria-invalid', 'true')
  field.addEventListener('input', () => field.removeAttribute('aria-invalid'), { once: true })
  field.focus()
  // Not every type of field has text to select.
  if (field.type === 'text') field.select()
}

/** An address as typed, or null with the field's problem told. */
export const readAddress = (scope: ParentNode, field: HTMLInputElement): string | null => {
  const email = field.value.trim()
  if (email !== '' && !field.validity.typeMismatch) return email
  fieldProblem(
    scope,
    field,
    email === '' ? 'Type your e-mail address first.' : 'Type a whole address, like name@example.com.',
  )
  return null
}

/** Name and address as the first administrator gives them, or null with the field's problem told. */
export const readProfile = (
  form: HTMLFormElement,
): { readonly name: string; readonly email: string } | null => {
  const nameField = form.querySelector<HTMLInputElement>('[name="name"]')
  const emailField = form.querySelector<HTMLInputElement>('[name="email"]')
  if (!nameField || !emailField) return null
  const name = nameField.value.trim()
  if (name === '') {
    fieldProblem(form, nameField, 'Type your name first.')
    return null
  }
  const email = readAddress(form, emailField)
  if (email === null) return null
  report(form, 'problem')
  return { name, email }
}

const sixDigits = /^\d{6}$/
const recoveryCode = /^[a-z0-9]{5}-?[a-z0-9]{5}$/i

/** A code as the service reads it, or null with the field's problem told. */
export const readCode = (
  scope: ParentNode,
  field: HTMLInputElement,
  takes: 'authenticator' | 'recovery' | 'either' = 'authenticator',
): string | null => {
  const code = field.value.replace(/\s/g, '')
  if (takes !== 'recovery' && sixDigits.test(code)) return code
  if (takes !== 'authenticator' && recoveryCode.test(code)) return code
  const expected = {
    authenticator: 'Type the 6 digits that your app shows.',
    recovery: 'Type a whole recovery code, like abcde-fghij.',
    either: 'Type the 6 digits that your app shows, or a whole recovery code.',
  }
  fieldProblem(scope, field, expected[takes])
  return null
}
