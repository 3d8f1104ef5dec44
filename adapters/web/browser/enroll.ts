import { leaveFor, localTimes, passkeysWork, restoreOnReturn, whileBusy } from './lib/page.ts'
import { createPasskey, proposeName, type SignedIn } from './lib/passkey.ts'

localTimes()

const token = document.querySelector<HTMLElement>('[data-token]')?.dataset['token']
const form = document.querySelector<HTMLFormElement>('[data-form="enroll"]')
const button = form?.querySelector<HTMLButtonElement>('[type="submit"]')
const nameField = form?.querySelector<HTMLInputElement>('[name="name"]')

if (token && form && button && nameField) {
  restoreOnReturn()
  proposeName(nameField)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const path = `/auth/enroll/${encodeURIComponent(token)}/passkey`
    void whileBusy(button, form, async () => {
      const { redirectTo } = await createPasskey<SignedIn>(`${path}/options`, path, nameField.value.trim())
      return leaveFor(redirectTo)
    })
  })
  if (!passkeysWork(form)) button.disabled = true
}
