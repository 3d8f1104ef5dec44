import { report } from '../lib/page.ts'
import { proposeName } from '../lib/passkey.ts'
import type { Undertaking } from './page.ts'

/** Default names in dialogs describe the device; others are entered by the user. */
const fillName = (dialog: HTMLDialogElement, name: string): void => {
  const input = dialog.querySelector<HTMLInputElement>('[name="name"]')
  if (!input) return
  if (dialog.id.startsWith('rename')) input.value = name
  else if (dialog.id === 'add-dialog') proposeName(input)
}

/** Opens a dialog for the subject of its button. When it closes, the focus returns to where it was. */
export const openDialog = ({ open, id = '', name = '' }: Undertaking): HTMLDialogElement | null => {
  const dialog = document.querySelector<HTMLDialogElement>(`#${CSS.escape(open)}-dialog`)
  if (!dialog) return null
  dialog.dataset['id'] = id
  dialog.querySelector('form')?.reset()
  report(dialog, 'status')
  for (const subject of dialog.querySelectorAll('[data-subject]')) subject.textContent = name
  fillName(dialog, name)
  dialog.showModal()
  dialog.querySelector<HTMLInputElement>('input')?.select()
  return dialog
}

/** The button that opens the dialog for the same item, if it is still on the page. */
export const openerOf = ({ open, id }: Undertaking): HTMLElement | null => {
  const opener = `[data-open="${CSS.escape(open)}"]`
  return document.querySelector(id === undefined ? opener : `${opener}[data-id="${CSS.escape(id)}"]`)
}
