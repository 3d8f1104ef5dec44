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
