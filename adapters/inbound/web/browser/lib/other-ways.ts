import { ApiError, call } from './api.ts'
import { markField, readAddress, readCode } from './fields.ts'
import { leaveFor, refused, report, whileBusy } from './page.ts'
import type { SignedIn } from './passkey.ts'
import { texts } from './texts.ts'

const words = texts({
  en: {
    wait: (label: string, seconds: number) => `${label} (in ${seconds} s)`,
    sent: (address: string, minutes: string) =>
      `If ${address} has an account, we sent it a sign-in link. The link works once, for ${minutes} minutes. Check your spam folder, too.`,
    again: 'Send again',
  },
  de: {
    wait: (label, seconds) => `${label} (in ${seconds} s)`,
    sent: (address, minutes) =>
      `Wenn ${address} ein Konto hat, haben wir einen Anmeldelink dorthin gesendet. Der Link gilt einmal, ${minutes} Minuten lang. Sehen Sie auch im Spam-Ordner nach.`,
    again: 'Erneut senden',
  },
})

/** The response of the API */
interface HomeRealm {
  readonly provider: { readonly startUrl: string } | null
  readonly required: boolean
}

interface Going {
  readonly authRequest: string | undefined
  /** The page of this service to continue to */
  readonly next: string | undefined
  readonly goOn: (signedIn: SignedIn) => 'leaving'
}

/** Sending another email too early does not help, because the first may still be in transit. */
const resendSeconds = 60

const codeErrors = new Set(['ERR_CODE_MISMATCH', 'ERR_TOO_MANY_ATTEMPTS', 'ERR_INVALID'])

const parts = (form: HTMLFormElement) => ({
  email: form.querySelector<HTMLInputElement>('[name="email"]'),
  code: form.querySelector<HTMLInputElement>('[name="code"]'),
  codeParts: form.querySelectorAll<HTMLElement>('[data-part="code"]'),
  useCode: form.querySelector<HTMLButtonElement>('[data-action="use-code"]'),
  sendCode: form.querySelector<HTMLButtonElement>('[data-action="code"]'),
  link: form.querySelector<HTMLButtonElement>('[data-action="link"]'),
})

/** Disables a button and counts down until it can be pressed again. */
const pauseFor = (button: HTMLButtonElement, seconds: number, label: string): void => {
  const until = Date.now() + seconds * 1000
  const tick = (): void => {
    const left = Math.ceil((until - Date.now()) / 1000)
    if (left > 0) {
      button.setAttribute('aria-disabled', 'true')
      button.textContent = words().wait(label, left)
      return
    }
    clearInterval(timer)
    button.removeAttribute('aria-disabled')
    button.textContent = label
  }
  const timer = setInterval(tick, 1000)
  tick()
}

/** Lets the user sign in with a code or with an emailed link. */
export const otherWays = (form: HTMLFormElement, { authRequest, next, goOn }: Going): void => {
  const { email, code, codeParts, useCode, sendCode, link } = parts(form)
  if (!email) return
  const request = authRequest === undefined ? {} : { authRequestId: authRequest }

  const showCode = (): void => {
    report(form, 'status')
    for (const part of codeParts) part.hidden = false
    if (useCode) useCode.hidden = true
    if (email.value.trim() === '') email.focus()
    else code?.focus()
  }

  /** Leaves for the provider of the address's domain. @returns whether it does */
  const toProvider = async (address: string, onlyIfRequired: boolean): Promise<boolean> => {
    if (form.dataset['homeRealms'] === undefined) return false
    const { provider, required } = await call<HomeRealm>('POST', '/auth/home-realm', { email: address })
    if (provider === null || (onlyIfRequired && !required)) return false
    const start = new URL(provider.startUrl)
    start.searchParams.set('loginHint', address)
    if (authRequest !== undefined) start.searchParams.set('authRequestId', authRequest)
    if (next !== undefined) start.searchParams.set('return', next)
    leaveFor(start.href)
    return true
  }

  const signInWithCode = async (): Promise<'leaving' | 'staying'> => {
    const address = readAddress(form, email)
    if (address === null || !code) return 'staying'
    const typed = readCode(form, code, code.dataset['codes'] as 'authenticator' | 'recovery' | 'either')
    if (typed === null) return 'staying'
    if (await toProvider(address, true)) return 'leaving'
    try {
      return goOn(await call<SignedIn>('POST', '/auth/code', { email: address, code: typed, ...request }))
    } catch (error) {
      if (error instanceof ApiError && codeErrors.has(error.code)) markField(code)
      return refused(error, { authRequest, return: next })
    }
  }

  const mailLink = async (): Promise<'sent' | 'leaving' | 'staying'> => {
    const address = readAddress(form, email)
    if (address === null) return 'staying'
    if (await toProvider(address, false)) return 'leaving'
    await call('POST', '/auth/magic-link', { email: address, ...request })
    const minutes = form.dataset['linkMinutes'] ?? ''
    report(form, 'status', words().sent(address, minutes))
    return 'sent'
  }

  const sendLink = async (button: HTMLButtonElement): Promise<void> => {
    if (button.getAttribute('aria-disabled') === 'true') return
    let outcome: 'sent' | 'leaving' | 'staying' = 'staying'
    await whileBusy(button, form, async () => {
      outcome = await mailLink()
      return outcome === 'leaving' ? 'leaving' : 'staying'
    })
    if ((outcome as string) === 'sent') pauseFor(button, resendSeconds, words().again)
  }

  useCode?.addEventListener('click', showCode)
  if (link?.type === 'button') link.addEventListener('click', () => void sendLink(link))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (sendCode === null) {
      if (link) void sendLink(link)
    } else if (sendCode.hidden) showCode()
    else void whileBusy(sendCode, form, signInWithCode)
  })
}
