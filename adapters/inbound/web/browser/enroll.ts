import { enrollAuthenticator } from './lib/enroll-authenticator.ts'
import { readProfile } from './lib/fields.ts'
import { leaveFor, localTimes, passkeysWork, restoreOnReturn, whileBusy } from './lib/page.ts'
import { createPasskey, proposeName, type Introduced, type SignedIn } from './lib/passkey.ts'
import { showRecoveryCodes } from './lib/recovery-codes.ts'

localTimes()

const card = document.querySelector<HTMLElement>('[data-token]')

const passkeyForm = (form: HTMLFormElement, path: string, introduced: () => Introduced | null): void => {
  const button = form.querySelector<HTMLButtonElement>('[type="submit"]')
  const nameField = form.querySelector<HTMLInputElement>('[name="name"]')
  if (!button || !nameField) return
  const isKey = form.dataset['kind'] === 'security_key'
  if (!isKey) proposeName(nameField)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void whileBusy(button, form, async () => {
      const profile = introduced()
      if (profile === null) return 'staying'
      const { redirectTo } = await createPasskey<SignedIn>(
        `${path}/options`,
        path,
        nameField.value.trim(),
        isKey ? { kind: 'security_key' } : {},
        profile,
      )
      return leaveFor(redirectTo, 'replace')
    })
  })
  if (!passkeysWork(form)) button.disabled = true
}

const choose = (choices: HTMLElement, scope: HTMLElement): void => {
  const show = (): void => {
    const chosen = choices.querySelector<HTMLInputElement>('input:checked')?.value
    for (const way of scope.querySelectorAll<HTMLElement>('[data-way]'))
      way.hidden = way.dataset['way'] !== chosen
  }
  choices.addEventListener('change', show)
  // A browser that restores the page also restores the choice.
  show()
}

const start = (scope: HTMLElement, token: string): void => {
  restoreOnReturn()
  const path = `/auth/enroll/${encodeURIComponent(token)}`
  const profileForm = scope.querySelector<HTMLFormElement>('[data-form="profile"]')
  const introduced = (): Introduced | null => {
    if (!profileForm) return {}
    const profile = readProfile(profileForm)
    return profile && { profile }
  }
  // The fields are sent with the form of the chosen method.
  profileForm?.addEventListener('submit', (event) => event.preventDefault())
  const choices = scope.querySelector<HTMLElement>('[data-choices]')
  if (choices) choose(choices, scope)
  for (const form of scope.querySelectorAll<HTMLFormElement>('[data-form="enroll"]'))
    passkeyForm(form, `${path}/passkey`, introduced)
  const authenticator = scope.querySelector<HTMLFormElement>('[data-form="authenticator"]')
  if (!authenticator) return
  enrollAuthenticator(
    authenticator,
    `${path}/authenticator`,
    async ({ redirectTo, recoveryCodes }) => {
      // The link is used and the user is signed in: a reload leads to the account.
      history.replaceState(null, '', '/account')
      await showRecoveryCodes(scope, recoveryCodes)
      return leaveFor(redirectTo, 'replace')
    },
    introduced,
  )
}

const token = card?.dataset['token']
if (card && token) start(card, token)
