/** The dialog with a new SSH certificate: saves it as a file, and then shows it in the list. */
import { element } from './lib/dom.ts'
import { leaveFor } from './lib/page.ts'

const dialog = document.querySelector<HTMLDialogElement>('#certificate-ready-dialog')

dialog?.querySelector('[data-action="download-certificate"]')?.addEventListener('click', () => {
  const { value = '' } = dialog.querySelector('textarea') ?? {}
  const url = URL.createObjectURL(new Blob([`${value}\n`], { type: 'text/plain' }))
  element('a', { href: url, download: 'id_ed25519-cert.pub' }).click()
  // A browser may fetch it after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
})

dialog?.addEventListener('submit', (event) => {
  event.preventDefault()
  dialog.close()
})
// Also if it is closed with Escape.
dialog?.addEventListener('close', () => leaveFor(location.pathname))
