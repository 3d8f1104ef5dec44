import { useState } from 'react'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { useSshTexts } from './ssh-texts.ts'

/** The dialog that revokes an SSH certificate of a user or a host. */
export const RevokeCertificate = ({
  path,
  effect,
  onClose,
}: {
  /** Of the certificate in the API */
  readonly path: string
  readonly effect: string
  readonly onClose: () => void
}) => {
  const text = useSshTexts()
  const [reason, setReason] = useState('')
  return (
    <CommandDialog
      title={text.revokeTitle}
      intro={<p>{effect}</p>}
      confirm={text.revoke}
      dangerous
      done={text.revoked}
      command={() => ({
        method: 'POST',
        path: `${path}/revoke`,
        body: reason.trim() === '' ? {} : { reason: reason.trim() },
      })}
      onClose={onClose}
      names={['reason']}
      fields={(errorOf) => (
        <TextField
          name="reason"
          label={text.reason}
          hint={text.reasonHint}
          value={reason}
          onChange={setReason}
          error={errorOf('reason')}
        />
      )}
    />
  )
}
