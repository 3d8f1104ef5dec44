import { useRef, useState } from 'react'
import { useCommand } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Problem } from '../kit/problem.tsx'
import { useToast } from '../kit/toast.tsx'
import { texts, useTexts } from '../text.tsx'
import styles from './logo-upload.module.css'

const logoTexts = texts({
  en: {
    title: 'Logo',
    formats: 'PNG, JPEG, WebP or SVG of at most 256 KB.',
    upload: 'Upload logo',
    replace: 'Replace logo',
    remove: 'Remove logo',
    saved: 'The logo was saved',
    removed: 'The logo was removed',
    light: 'On a light page',
    dark: 'On a dark page',
  },
  de: {
    title: 'Logo',
    formats: 'PNG, JPEG, WebP oder SVG mit höchstens 256 KB.',
    upload: 'Logo hochladen',
    replace: 'Logo ersetzen',
    remove: 'Logo entfernen',
    saved: 'Das Logo wurde gespeichert',
    removed: 'Das Logo wurde entfernt',
    light: 'Auf einer hellen Seite',
    dark: 'Auf einer dunklen Seite',
  },
})

const ACCEPTED = 'image/png,image/jpeg,image/webp,image/svg+xml'

/** A logo as pages show it in both themes, and what changes it. */
export const LogoUpload = ({
  path,
  logoUrl,
  hint,
  none,
  removeEffect,
  mayWrite,
}: {
  /** Of the route that takes and removes the image */
  readonly path: string
  readonly logoUrl: string | null
  /** Where the logo is shown */
  readonly hint: string
  /** What pages show without one */
  readonly none: string
  readonly removeEffect: string
  readonly mayWrite: boolean
}) => {
  const text = useTexts(logoTexts)
  const toast = useToast()
  const { mutate, isPending, error } = useCommand()
  const [removing, setRemoving] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const upload = (file: File): void =>
    mutate({ method: 'PUT', path, body: file }, { onSuccess: () => toast(text.saved) })
  return (
    <div className={styles['logo']}>
      <h3>{text.title}</h3>
      <p className="hint">
        {hint} {text.formats}
      </p>
      {logoUrl === null ? (
        <p>{none}</p>
      ) : (
        <div className={styles['previews']}>
          <img className={styles['light']} src={logoUrl} alt={text.light} />
          <img className={styles['dark']} src={logoUrl} alt={text.dark} />
        </div>
      )}
      {error !== null && <Problem error={error} />}
      {mayWrite && (
        <div className="actions">
          <input
            ref={input}
            type="file"
            accept={ACCEPTED}
            hidden
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) upload(file)
              // The same file can be chosen again after it was changed.
              target.value = ''
            }}
          />
          <Button small busy={isPending} onClick={() => input.current?.click()}>
            {logoUrl === null ? text.upload : text.replace}
          </Button>
          {logoUrl !== null && (
            <Button small look="danger" onClick={() => setRemoving(true)}>
              {text.remove}
            </Button>
          )}
        </div>
      )}
      {removing && (
        <CommandDialog
          title={text.remove}
          intro={<p>{removeEffect}</p>}
          confirm={text.remove}
          dangerous
          done={text.removed}
          command={() => ({ method: 'DELETE', path })}
          onClose={() => setRemoving(false)}
        />
      )}
    </div>
  )
}
