import { ApiError, call } from '../lib/api.ts'
import { showAuthenticatorKey, type AuthenticatorKey } from '../lib/authenticator-key.ts'
import { showRecoveryCodes } from '../lib/recovery-codes.ts'

const path = '/me/methods/authenticator'

/** Shows a new key in the dialog that asks for a code of it. */
export const beginAuthenticator = async (dialog: HTMLDialogElement): Promise<void> => {
  const container = dialog.querySelector<HTMLElement>('[data-key]')
  if (!container) return
  const { ceremonyId, ...key } = await call<AuthenticatorKey & { ceremonyId: string }>('POST', path)
  dialog.dataset['ceremony'] = ceremonyId
  showAuthenticatorKey(container, dialog, key)
}

/** Sends the code; whoever had no recovery codes gets to see their first ones, and this waits for that. */
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
    throw new ApiError(error.code, 'That took too long. Here is a new key: scan it and type the code for it.')
  }
  if (added.recoveryCodes === null) return
  const target = document.querySelector<HTMLDialogElement>('#new-codes-dialog')
  dialog.close()
  if (target) await showRecoveryCodes(target, added.recoveryCodes)
}

/** Makes new recovery codes and shows them until the person has stored them. */
export const renewRecoveryCodes = async (dialog: HTMLDialogElement | null): Promise<void> => {
  const { recoveryCodes } = await call<{ recoveryCodes: readonly string[] }>(
    'POST',
    '/me/methods/recovery-codes',
  )
  const target = document.querySelector<HTMLDialogElement>('#new-codes-dialog')
  dialog?.close()
  if (target) await showRecoveryCodes(target, recoveryCodes)
}
