import { ApiError } from '../lib/api.ts'
import { leaveFor, messageOf, Problem, report } from '../lib/page.ts'
import { texts } from '../lib/texts.ts'
import { outcomeTexts, type OutcomeText } from './outcome-texts.ts'

const words = texts({
  en: { lastMethod: 'You cannot remove your last sign-in method. Add another one first.' },
  de: {
    lastMethod: 'Sie können Ihre letzte Anmeldemethode nicht entfernen. Fügen Sie zuerst eine andere hinzu.',
  },
})

export type Outcome = 'leaving' | 'staying'

const flashKey = 'account.flash'

/**
 * Reloads the page, so that only the server decides what it shows, and displays the result there, in the language
 * that the page then has.
 */
export const reloadSaying = (message: OutcomeText, section: string): 'leaving' => {
  sessionStorage.setItem(flashKey, JSON.stringify({ message, section }))
  location.reload()
  return 'leaving'
}

export const sayFlash = (scope: HTMLElement): void => {
  const stored = sessionStorage.getItem(flashKey)
  if (stored === null) return
  sessionStorage.removeItem(flashKey)
  const { message, section } = JSON.parse(stored) as { message: OutcomeText; section: string }
  document.getElementById(section)?.focus({ preventScroll: true })
  // A live region announces only changes, so the text is set after the page has been drawn.
  requestAnimationFrame(() => report(scope, 'status', outcomeTexts()[message]))
}

/** The user's pending action. During a sign-in it is kept in the URL fragment, which is not sent to the server. */
export interface Undertaking {
  /** Name of the dialog */
  readonly open: string
  /** Id of the dialog's subject */
  readonly id?: string | undefined
  /** As entered */
  readonly name?: string | undefined
}

const hashOf = (undertaking: Undertaking): string => {
  const known = Object.entries(undertaking).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return `#${new URLSearchParams(known).toString()}`
}

/** Reads the pending action from the URL fragment and clears it. */
export const takeUndertaking = (): Undertaking | null => {
  const said = new URLSearchParams(location.hash.slice(1))
  const open = said.get('open')
  if (open === null) return null
  history.replaceState(null, '', location.pathname)
  return { open, id: said.get('id') ?? undefined, name: said.get('name') ?? undefined }
}

const signInAndBack = (path: string, hash: string): string =>
  `${path}return=${encodeURIComponent(location.pathname + hash)}`

let interrupted: Undertaking | null = null

/** Navigates to a new sign-in, and from there back to the pending action. */
export const signInAgain = (): 'leaving' =>
  leaveFor(signInAndBack('/sign-in?again=1&', interrupted === null ? '' : hashOf(interrupted)))

/** The dialogs that explain an error, by its code. */
const proofDialogs = new Map([
  ['ERR_REAUTH_REQUIRED', '#again-dialog'],
  ['ERR_STRONGER_AUTH_REQUIRED', '#stronger-dialog'],
])

/**
 * If an action requires a recent or stronger sign-in, a dialog explains this first. If the session has ended,
 * navigates to the sign-in page.
 */
export const orSignIn = async (work: Promise<Outcome>, undertaking: Undertaking | null): Promise<Outcome> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'ERR_UNAUTHENTICATED') return leaveFor(signInAndBack('/sign-in?', ''))
    if (error.code === 'ERR_LAST_METHOD') throw new Problem(words().lastMethod)
    const asked = proofDialogs.get(error.code)
    const dialog = asked === undefined ? null : document.querySelector<HTMLDialogElement>(asked)
    if (dialog === null) throw error
    interrupted = undertaking
    // Only the service knows which method is required.
    for (const reason of dialog.querySelectorAll('[data-reason]')) reason.textContent = messageOf(error)
    dialog.showModal()
    return 'staying'
  }
}
