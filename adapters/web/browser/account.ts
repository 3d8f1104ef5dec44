import { ApiError, call } from './lib/api.ts'
import { leaveFor, localTimes, passkeysWork, report, restoreOnReturn, whileBusy } from './lib/page.ts'
import { createPasskey, proposeName } from './lib/passkey.ts'

const main = document.querySelector<HTMLElement>('main')
const flashKey = 'account.flash'

/** Loads the page anew, so that the server alone decides what it shows, and says there what was done. */
const reloadSaying = (message: string, section: string): 'leaving' => {
  sessionStorage.setItem(flashKey, JSON.stringify({ message, section }))
  location.reload()
  return 'leaving'
}

const sayFlash = (scope: HTMLElement): void => {
  const stored = sessionStorage.getItem(flashKey)
  if (stored === null) return
  sessionStorage.removeItem(flashKey)
  const { message, section } = JSON.parse(stored) as { message: string; section: string }
  document.getElementById(section)?.focus({ preventScroll: true })
  // A live region announces changes only, so the text comes after the page has been drawn.
  requestAnimationFrame(() => report(scope, 'status', message))
}

/** What only a recent sign-in may do leads to the sign-in page, and so does a session that has ended. */
const orSignIn = async (work: Promise<'leaving' | 'staying'>): Promise<'leaving' | 'staying'> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'ERR_REAUTH_REQUIRED') return leaveFor('/sign-in?again=1')
    if (error.code === 'ERR_UNAUTHENTICATED') return leaveFor('/sign-in')
    throw error
  }
}

const open = (opener: HTMLElement): void => {
  const dialog = document.querySelector<HTMLDialogElement>(`#${opener.dataset['open'] ?? ''}-dialog`)
  if (!dialog) return
  const { id = '', name = '' } = opener.dataset
  dialog.dataset['id'] = id
  report(dialog, 'status')
  for (const subject of dialog.querySelectorAll('[data-subject]')) subject.textContent = name
  const input = dialog.querySelector<HTMLInputElement>('[name="name"]')
  if (input) {
    if (opener.dataset['open'] === 'rename') input.value = name
    else proposeName(input)
  }
  dialog.showModal()
  input?.select()
}

type Submit = (id: string, name: string) => Promise<'leaving' | 'staying'>

const submits: Record<string, Submit> = {
  add: async (_, name) => {
    await createPasskey('/me/methods/passkey/options', '/me/methods/passkey/verify', name)
    return reloadSaying('Your new passkey is ready.', 'methods')
  },
  rename: async (id, name) => {
    await call('PATCH', `/me/methods/${encodeURIComponent(id)}`, { name })
    return reloadSaying('The passkey has its new name.', 'methods')
  },
  remove: async (id) => {
    await call('DELETE', `/me/methods/${encodeURIComponent(id)}`)
    return reloadSaying('The passkey was removed.', 'methods')
  },
  'sign-out': async () => {
    await call('POST', '/auth/sign-out')
    return leaveFor('/signed-out')
  },
}

const actions: Record<string, (id: string) => Promise<'leaving' | 'staying'>> = {
  'end-session': async (id) => {
    await call('DELETE', `/me/sessions/${encodeURIComponent(id)}`)
    return reloadSaying('The session was ended.', 'sessions')
  },
  'end-others': async () => {
    await call('POST', '/me/sessions/revoke-others')
    return reloadSaying('All your other sessions were ended.', 'sessions')
  },
}

const onClick = (scope: HTMLElement, target: HTMLElement): void => {
  if (target.dataset['open'] !== undefined) return open(target)
  if (target.dataset['action'] === 'close') return target.closest('dialog')?.close()
  const action = actions[target.dataset['action'] ?? '']
  if (action) void whileBusy(target, scope, () => orSignIn(action(target.dataset['id'] ?? '')))
}

const onSubmit = (scope: HTMLElement, form: HTMLFormElement, event: SubmitEvent): void => {
  const submit = submits[form.dataset['form'] ?? '']
  const button = form.querySelector<HTMLButtonElement>('[type="submit"]')
  if (!submit || !button) return
  event.preventDefault()
  const dialog = form.closest('dialog')
  const name = new FormData(form).get('name')
  const id = dialog?.dataset['id'] ?? ''
  void whileBusy(button, dialog ?? scope, () =>
    orSignIn(submit(id, typeof name === 'string' ? name.trim() : '')),
  )
}

if (main) {
  restoreOnReturn()
  localTimes()
  sayFlash(main)
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button') : null
    if (button) onClick(main, button)
  })
  document.addEventListener('submit', (event) => {
    if (event.target instanceof HTMLFormElement) onSubmit(main, event.target, event)
  })
  const add = document.querySelector<HTMLButtonElement>('[data-open="add"]')
  if (add && !passkeysWork(main)) add.disabled = true
}
