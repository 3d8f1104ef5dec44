import { ApiError, call } from './api.ts'
import { showAuthenticatorKey, type AuthenticatorKey } from './authenticator-key.ts'
import { markField, readCode } from './fields.ts'
import { report, whileBusy } from './page.ts'
import type { Introduced, SignedIn } from './passkey.ts'
import { texts } from './texts.ts'

const words = texts({
  en: {
    confirm: 'Confirm and continue',
    tooLong: 'That took too long. Add this new key to your app.',
  },
  de: {
    confirm: 'Bestätigen und weiter',
    tooLong: 'Das hat zu lange gedauert. Fügen Sie Ihrer App diesen neuen Schlüssel hinzu.',
  },
})

type Begun = AuthenticatorKey & { readonly ceremonyId: string }

export type EnrolledWithCodes = SignedIn & { readonly recoveryCodes: readonly string[] }

/**
 * The form that sets up an authenticator app: first it shows the key, then it sends the first code.
 * @param path of the API that starts the setup; `${path}/verify` completes it
 * @param introduced the entered profile, if required; null while it is invalid
 */
export const enrollAuthenticator = (
  form: HTMLFormElement,
  path: string,
  done: (enrolled: EnrolledWithCodes) => Promise<'leaving' | 'staying'>,
  introduced: () => Introduced | null = () => ({}),
): void => {
  const button = form.querySelector<HTMLButtonElement>('[type="submit"]')
  const label = button?.querySelector('[data-label]')
  const key = form.querySelector<HTMLElement>('[data-part="key"]')
  const codePart = form.querySelector<HTMLElement>('[data-part="code"]')
  const code = codePart?.querySelector('input')
  if (!button || !label || !key || !codePart || !code) return
  let ceremonyId: string | null = null

  const begin = async (): Promise<'staying'> => {
    const profile = introduced()
    if (profile === null) return 'staying'
    const begun = await call<Begun>('POST', path, { ...profile })
    ceremonyId = begun.ceremonyId
    showAuthenticatorKey(key, form, begun)
    key.hidden = false
    codePart.hidden = false
    code.value = ''
    label.textContent = words().confirm
    key.focus()
    return 'staying'
  }

  const confirm = async (): Promise<'leaving' | 'staying'> => {
    const typed = readCode(form, code)
    const profile = introduced()
    if (typed === null || profile === null) return 'staying'
    try {
      return await done(
        await call<EnrolledWithCodes>('POST', `${path}/verify`, { ceremonyId, code: typed, ...profile }),
      )
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'ERR_CEREMONY_EXPIRED') {
        await begin()
        report(form, 'problem', words().tooLong)
        return 'staying'
      }
      if (error.code === 'ERR_CODE_MISMATCH' || error.code === 'ERR_TOO_MANY_ATTEMPTS') markField(code)
      throw error
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void whileBusy(button, form, ceremonyId === null ? begin : confirm)
  })
}
