import { copyText } from './copy.ts'
import { button, element } from './dom.ts'
import { texts } from './texts.ts'

const words = texts({
  en: {
    codesFor: (host: string) => `Recovery codes for ${host}`,
    once: 'Each code works once.',
    keep: 'Keep your recovery codes',
    saved: 'I have saved them',
    explanation:
      'Each of these codes signs you in once if you cannot use another method. Keep them where only you can find them. They are shown only once.',
    title: 'Recovery codes',
    copy: 'Copy',
    copied: 'The codes were copied.',
    download: 'Download',
    print: 'Print',
  },
  de: {
    codesFor: (host) => `Wiederherstellungscodes für ${host}`,
    once: 'Jeder Code gilt einmal.',
    keep: 'Bewahren Sie Ihre Wiederherstellungscodes auf',
    saved: 'Ich habe sie gespeichert',
    explanation:
      'Mit jedem dieser Codes können Sie sich einmal anmelden, wenn Sie keine andere Methode verwenden können. Bewahren Sie sie dort auf, wo nur Sie sie finden. Sie werden nur einmal angezeigt.',
    title: 'Wiederherstellungscodes',
    copy: 'Kopieren',
    copied: 'Die Codes wurden kopiert.',
    download: 'Herunterladen',
    print: 'Drucken',
  },
})

const asFile = (codes: readonly string[]): string =>
  [words().codesFor(location.host), words().once, '', ...codes, ''].join('\r\n')

const download = (codes: readonly string[]): void => {
  const url = URL.createObjectURL(new Blob([asFile(codes)], { type: 'text/plain' }))
  element('a', { href: url, download: `recovery-codes-${location.hostname}.txt` }).click()
  // A browser may fetch it after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Warns before leaving the page while codes are shown that cannot be shown again. */
const guardLeaving = (): AbortController => {
  const stop = new AbortController()
  addEventListener('beforeunload', (event) => event.preventDefault(), { signal: stop.signal })
  return stop
}

/**
 * Shows new recovery codes in `dialogOrSection`, with buttons to save them, and resolves when the user
 * continues; the codes are then removed from the page. Opens and closes a dialog if needed.
 */
export const showRecoveryCodes = (dialogOrSection: HTMLElement, codes: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    const guard = guardLeaving()
    const dialog = dialogOrSection instanceof HTMLDialogElement ? dialogOrSection : null
    dialogOrSection.replaceChildren()
    // If this replaces the entire content of a page, it needs the heading of the page.
    const level = document.querySelector('h1') === null ? 'h1' : 'h2'
    const heading = element(level, { tabindex: '-1', id: 'recovery-codes-title' }, words().keep)
    const stored = button(words().saved, 'button-primary button-wide')
    const body = element('div', { class: 'recovery-codes', 'data-print': '' })
    const on = (label: string, act: () => void): HTMLButtonElement => {
      const made = button(label, 'button-small')
      made.addEventListener('click', act)
      return made
    }

    const { signal } = guard
    const goOn = (): void => {
      guard.abort()
      dialogOrSection.replaceChildren()
      dialogOrSection.removeAttribute('aria-labelledby')
      if (dialog?.open) dialog.close()
      resolve()
    }

    body.append(
      heading,
      element('p', {}, words().explanation),
      element('p', { class: 'print-only' }, `${words().codesFor(location.host)}. ${words().once}`),
      element(
        'ul',
        { class: 'code-list', 'aria-label': words().title },
        ...codes.map((code) => element('li', {}, element('code', {}, code))),
      ),
      element(
        'div',
        { class: 'actions actions-centre' },
        on(words().copy, () => void copyText(dialogOrSection, codes.join('\n'), words().copied)),
        on(words().download, () => download(codes)),
        on(words().print, () => print()),
      ),
      element('div', { class: 'report', 'data-report': 'problem', role: 'alert' }),
      element('div', { class: 'report', 'data-report': 'status', role: 'status' }),
      stored,
    )
    stored.addEventListener('click', goOn)
    dialogOrSection.replaceChildren(body)
    dialogOrSection.setAttribute('aria-labelledby', heading.id)
    if (dialog) {
      // Escape would discard the codes before the user has saved them.
      dialog.addEventListener('cancel', (event) => event.preventDefault(), { signal })
      dialog.addEventListener('close', goOn, { signal })
      if (!dialog.open) dialog.showModal()
    }
    heading.focus()
  })
