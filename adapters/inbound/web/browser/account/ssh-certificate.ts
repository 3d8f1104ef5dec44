import { call } from '../lib/api.ts'

/** Gets a certificate and shows it in the dialog of `ssh.ts`. */
export const getCertificate = async (dialog: HTMLDialogElement | null, publicKey: string): Promise<void> => {
  const { certificate } = await call<{ readonly certificate: string }>('POST', '/me/ssh/certificates', {
    publicKey,
  })
  dialog?.close()
  const text = document.querySelector<HTMLTextAreaElement>('#ssh-certificate')
  if (text === null) return
  text.value = certificate
  text.closest('dialog')?.showModal()
  text.select()
}
