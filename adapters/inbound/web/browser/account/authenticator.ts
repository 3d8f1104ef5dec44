import { ApiError, call } from '../lib/api.ts'
import { showAuthenticatorKey, type AuthenticatorKey } from '../lib/authenticator-key.ts'
import { Problem } from '../lib/page.ts'
import { showRecoveryCodes } from '../lib/recovery-codes.ts'
import { texts } from '../lib/texts.ts'

const words = texts({
  en: { tooLong: 'That took too long. Scan this new code with the app and enter the digits that it shows.' },
  de: {
    tooLong:
      'Das hat zu lange gedauert. Scannen Sie diesen neuen Code mit der App und geben Sie die Ziffern ein, die sie zeigt.',
  },
})

const path = '/me/methods/authenticator'

/** Shows a new key in the dialog. */
export const beginAuthenticator = async (dialog: HTMLDialogElement): Promise<void> => {
  const container = dialog.querySelector<HTMLElement>('[data-key]')
  if (!container) return
  const { ceremonyId, ...key } = await call<AuthenticatorKey & { ceremonyId: string }>('POST', path)
  dialog.dataset['ceremony'] = ceremonyId
  showAuthenticatorKey(container, dialog, key)
}

/** Sends the code; if first recovery codes were created, shows them and waits until the user continues. */
export const finishAuthenticator = async (
  dialog: HTMLDialogElement,
  code: string,
  name: string,
): Promise<void> => {
  const ceremonyId = dialog.dataset['ceremony'] ?? ''
  let added: { recoveryCodes: readonly string[] | null }
  try {
    added = await call('POST', `${path}/verify`, {
      ceremonyId,
      code: code.replace(/\s/g, ''),
      ...(name === '' ? {} : { name }),
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'ERR_CEREMONY_EXPIRED') throw error
    await beginAuthenticator(dialog)
    throw new Problem(words().tooLong)
  }
  if (added.recoveryCodes === null) return
  const target = document.querySelector<HTMLDialogElement>('#new-codes-dialog')
  dialog.close()
  if (target) await showRecoveryCodes(target, added.recoveryCodes)
}

/** Creates new recovery codes and shows them until the user has saved them. */
export const renewRecoveryCodes = async (dialog: HTMLDialogElement | null): Promise<void> => {
  const { recoveryCodes } = await call<{ recoveryCodes: readonly string[] }>(
    'POST',
    '/me/methods/recovery-codes',
  )
  const target = document.querySelector<HTMLDialogElement>('#new-codes-dialog')
  dialog?.close()
  if (target) await showRecoveryCodes(target, recoveryCodes)
}
