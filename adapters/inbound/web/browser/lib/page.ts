import { germanMessages } from '../../../../../domain/errors-german.ts'
import { ApiError } from './api.ts'
import { failureTexts } from './failure-texts.ts'
import { isGerman } from './texts.ts'

/** A failure with a text in the language of the page. */
export class Problem extends Error {}

/** Returns the text for an error of the API, whose own messages are English. */
export const messageOf = ({ code, message }: ApiError): string => {
  if (code === 'ERR_NETWORK') return failureTexts().network
  return (isGerman() ? germanMessages[code] : undefined) ?? message
}

/** Returns the reporting region inside `scope`, or the page's own if it has none. */
const region = (scope: ParentNode, kind: 'problem' | 'status'): HTMLElement | null =>
  scope.querySelector(`[data-report="${kind}"]`) ?? document.querySelector(`main [data-report="${kind}"]`)

/** Shows `text` in the live region of its kind and clears the other. Without text, clears both. */
export const report = (scope: ParentNode, kind: 'problem' | 'status', text = ''): void => {
  for (const each of ['problem', 'status'] as const) {
    const target = region(scope, each)
    if (target) target.textContent = each === kind ? text : ''
  }
}

/** The browser's own locale, if it is of the page's language; else the page's language. */
const pageLocale = (): string | undefined => {
  const { lang } = document.documentElement
  return lang === '' || navigator.language.startsWith(lang) ? undefined : lang
}

/** "in 40 seconds", "in 15 minutes, at 14:32": rounded up, so that it is never too early. */
const waitWords = (seconds: number): string => {
  const text = failureTexts()
  if (seconds <= 90) return text.seconds(seconds)
  const at = new Intl.DateTimeFormat(pageLocale(), { timeStyle: 'short' })
  const end = new Date(Date.now() + seconds * 1000 + 59_999)
  return text.minutes(Math.ceil(seconds / 60), at.format(end))
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

/** Describes a failure. Closing the prompt is not an error, and unknown failures get a general text. */
export const reportFailure = (scope: ParentNode, error: unknown): void => {
  const text = failureTexts()
  if (error instanceof Problem) return report(scope, 'problem', error.message)
  if (error instanceof ApiError) {
    const { retryAfterSeconds: wait } = error
    if (wait === null) return report(scope, 'problem', messageOf(error))
    const reason = error.code === 'ERR_TOO_MANY_ATTEMPTS' ? text.wrongCodes : text.attempts
    return report(scope, 'problem', text.again(reason, waitWords(wait)))
  }
  switch (nameOf(error)) {
    case 'AbortError':
    case 'NotAllowedError':
      return report(scope, 'status', text.closed)
    case 'InvalidStateError':
      return report(scope, 'status', text.already)
    case 'NotSupportedError':
      return report(scope, 'problem', text.kind)
    case 'SecurityError':
      return report(scope, 'problem', text.address)
    default:
      return report(scope, 'problem', text.failed)
  }
}

/** Whether the browser supports passkeys; shows a message if not. */
export const passkeysWork = (scope: ParentNode): boolean => {
  if (typeof PublicKeyCredential === 'function') return true
  report(scope, 'problem', failureTexts().noPasskeys)
  return false
}

const setBusy = (button: HTMLElement, busy: boolean): void => {
  // Does not use `disabled`, which would move the keyboard focus to the top of the page.
  for (const name of ['aria-busy', 'aria-disabled']) {
    if (busy) button.setAttribute(name, 'true')
    else button.removeAttribute(name)
  }
}

/**
 * Runs `work` once, even if the button is pressed repeatedly. Shows the button as busy and reports failures in
 * `scope`. If `work` returns `leaving`, another page is about to load, and the button stays busy.
 */
export const whileBusy = async (
  button: HTMLElement,
  scope: ParentNode,
  work: () => Promise<'leaving' | 'staying'>,
): Promise<void> => {
  if (button.getAttribute('aria-busy') === 'true') return
  setBusy(button, true)
  report(scope, 'status')
  try {
    if ((await work()) === 'leaving') return
  } catch (error) {
    reportFailure(scope, error)
  }
  setBusy(button, false)
}

/** A page restored from the back-forward cache must not keep the busy state that it was left in. */
export const restoreOnReturn = (): void =>
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    for (const button of document.querySelectorAll<HTMLElement>('[aria-busy]')) setBusy(button, false)
  })

/**
 * Navigates to the address from the service; only web addresses are followed.
 * @param trace `replace` removes a page whose address is a secret from the history
 */
export const leaveFor = (target: string, trace: 'assign' | 'replace' = 'assign'): 'leaving' => {
  const url = new URL(target, location.href)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('Not a web address')
  location[trace](url.href)
  return 'leaving'
}

const DENIED = new Set(['ERR_NOT_ASSIGNED', 'ERR_BLOCKED_BY_POLICY'])
const AGAIN = new Set(['ERR_STRONGER_AUTH_REQUIRED', 'ERR_REAUTH_REQUIRED'])

/**
 * Handles a sign-in that was refused: another page explains it and shows how to continue. Rethrows any other error,
 * which the page reports itself.
 * @param going what the user signs in for, as parameters of the sign-in page
 */
export const refused = (error: unknown, going: Readonly<Record<string, string | undefined>>): 'leaving' => {
  if (!(error instanceof ApiError)) throw error
  const { code, risk } = error
  if (!AGAIN.has(code) && (going['authRequest'] === undefined || !DENIED.has(code))) throw error
  const query = new URLSearchParams({ again: '1', error: code })
  for (const [name, value] of Object.entries(going)) if (value !== undefined) query.set(name, value)
  if (risk !== null) query.set('risk', risk)
  return leaveFor(`/sign-in?${query.toString()}`)
}

export interface LocalTimeOptions {
  /** BCP 47; default: the language of the page */
  readonly locale?: string | undefined
  /** IANA; default: the browser's time zone */
  readonly timeZone?: string | undefined
}

const timeFormat = ({ locale = pageLocale(), timeZone }: LocalTimeOptions): Intl.DateTimeFormat => {
  const styles = { dateStyle: 'medium', timeStyle: 'short' } as const
  try {
    return new Intl.DateTimeFormat(locale, { ...styles, timeZone })
  } catch {
    // The browser does not know the time zone or language.
    return new Intl.DateTimeFormat(undefined, styles)
  }
}

/** Rewrites server-side UTC times in the reader's time zone. */
export const localTimes = (options: LocalTimeOptions = {}): void => {
  const format = timeFormat(options)
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local]')) {
    const at = new Date(time.dateTime)
    if (!Number.isNaN(at.valueOf())) time.textContent = format.format(at)
  }
}
