import { beginAuthenticator } from './account/authenticator.ts'
import { actions, submits } from './account/commands.ts'
import { openDialog, openerOf } from './account/dialogs.ts'
import { orSignIn, sayFlash, takeUndertaking, type Undertaking } from './account/page.ts'
import { fillTimeZones } from './account/profile.ts'
import { localTimes, passkeysWork, restoreOnReturn, whileBusy } from './lib/page.ts'

const open = (scope: HTMLElement, opener: HTMLElement, typed?: string): void => {
  const { open: name = '', id, name: subject } = opener.dataset
  const undertaking: Undertaking = { open: name, id }
  const show = (): HTMLDialogElement | null => openDialog({ ...undertaking, name: subject })
  if (name !== 'add-app') {
    const input = show()?.querySelector<HTMLInputElement>('[name="name"]')
    if (input && typed !== undefined) input.value = typed
    return
  }
  const dialog = document.querySelector<HTMLDialogElement>('#add-app-dialog')
  if (!dialog) return
  // The dialog opens together with its key, so that it is never shown without a key.
  void whileBusy(opener, scope, () => {
    const begin = async () => {
      await beginAuthenticator(dialog)
      show()
      return 'staying' as const
    }
    return orSignIn(begin(), undertaking)
  })
}

const onClick = (scope: HTMLElement, target: HTMLElement): void => {
  if (target.dataset['open'] !== undefined) return open(scope, target)
  if (target.dataset['action'] === 'close') return target.closest('dialog')?.close()
  const action = actions[target.dataset['action'] ?? '']
  if (action) void whileBusy(target, scope, () => orSignIn(action(target.dataset['id'] ?? ''), null))
}

const onSubmit = (scope: HTMLElement, form: HTMLFormElement, event: SubmitEvent): void => {
  const name = form.dataset['form'] ?? ''
  const submit = submits[name]
  const button = form.querySelector<HTMLButtonElement>('[type="submit"]')
  if (!submit || !button) return
  event.preventDefault()
  const dialog = form.closest('dialog')
  const fields = new FormData(form)
  const field = (key: string): string => {
    const value = fields.get(key)
    return typeof value === 'string' ? value.trim() : ''
  }
  const id = dialog?.dataset['id'] ?? ''
  const undertaking = dialog && { open: name, id, name: field('name') }
  void whileBusy(button, dialog ?? scope, () => orSignIn(submit({ dialog, id, field }), undertaking))
}

const main = document.querySelector<HTMLElement>('main')

if (main) {
  const { locale, timeZone } = main.querySelector<HTMLElement>('.account')?.dataset ?? {}
  restoreOnReturn()
  // Where the tabs scroll, the current one is in sight, with the end of the one before.
  const tab = main.querySelector<HTMLElement>('.tabs [aria-current]')
  if (tab) main.querySelector('.tabs ul')?.scrollTo(tab.offsetLeft - 48, 0)
  localTimes({ locale, timeZone })
  for (const select of document.querySelectorAll<HTMLSelectElement>('[data-time-zones]'))
    fillTimeZones(select)
  sayFlash(main)
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button') : null
    if (button) onClick(main, button)
  })
  document.addEventListener('submit', (event) => {
    if (event.target instanceof HTMLFormElement) onSubmit(main, event.target, event)
  })
  const keys = document.querySelectorAll<HTMLButtonElement>('[data-open="add"], [data-open="add-key"]')
  if (keys.length > 0 && !passkeysWork(main)) for (const button of keys) button.disabled = true
  const undertaking = takeUndertaking()
  const opener = undertaking && openerOf(undertaking)
  if (opener) {
    // The focus returns here when the dialog closes.
    opener.focus()
    open(main, opener, undertaking.name)
  }
}
