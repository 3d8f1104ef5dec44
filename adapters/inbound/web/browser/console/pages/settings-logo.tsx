import { useRef, useState } from 'react'
import { useCommand, useRecord } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Problem } from '../kit/problem.tsx'
import { Loaded } from '../kit/record.tsx'
import { useToast } from '../kit/toast.tsx'
import type { OrganizationRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'
import styles from './settings-logo.module.css'

const logoTexts = texts({
  en: {
    title: 'Logo',
    hint: 'On the pages of the service, and in emails unless it is an SVG. PNG, JPEG, WebP or SVG of at most 256 KB.',
    none: 'No logo: pages show the first letter of the name.',
    upload: 'Upload logo',
    replace: 'Replace logo',
    remove: 'Remove logo',
    removeEffect: 'Pages show the first letter of the name instead.',
    saved: 'The logo was saved',
    removed: 'The logo was removed',
    light: 'On a light page',
    dark: 'On a dark page',
  },
  de: {
    title: 'Logo',
    hint: 'Auf den Seiten des Dienstes, und in E-Mails, wenn es kein SVG ist. PNG, JPEG, WebP oder SVG mit höchstens 256 KB.',
    none: 'Kein Logo: Seiten zeigen den ersten Buchstaben des Namens.',
    upload: 'Logo hochladen',
    replace: 'Logo ersetzen',
    remove: 'Logo entfernen',
    removeEffect: 'Seiten zeigen stattdessen den ersten Buchstaben des Namens.',
    saved: 'Das Logo wurde gespeichert',
    removed: 'Das Logo wurde entfernt',
    light: 'Auf einer hellen Seite',
    dark: 'Auf einer dunklen Seite',
  },
})

const ACCEPTED = 'image/png,image/jpeg,image/webp,image/svg+xml'

/** The logo as pages show it in both themes, and what changes it. */
export const Logo = ({ mayWrite }: { readonly mayWrite: boolean }) => {
  const text = useTexts(logoTexts)
  const toast = useToast()
  const organization = useRecord<OrganizationRecord>('/organization')
  const { mutate, isPending, error } = useCommand()
  const [removing, setRemoving] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const upload = (file: File): void =>
    mutate({ method: 'PUT', path: '/branding/logo', body: file }, { onSuccess: () => toast(text.saved) })
  return (
    <Loaded query={organization}>
      {({ logoUrl }) => (
        <div className={styles['logo']}>
          <h3>{text.title}</h3>
          <p className="hint">{text.hint}</p>
          {logoUrl === null ? (
            <p>{text.none}</p>
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
              intro={<p>{text.removeEffect}</p>}
              confirm={text.remove}
              dangerous
              done={text.removed}
              command={() => ({ method: 'DELETE', path: '/branding/logo' })}
              onClose={() => setRemoving(false)}
            />
          )}
        </div>
      )}
    </Loaded>
  )
}
