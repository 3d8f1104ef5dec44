/** The sign-in page and an email in both themes, drawn by the service with settings that may not be saved yet. */
import { useState } from 'react'
import { isColor } from '../../../../../../domain/branding/accent.ts'
import { useRecord } from '../api.ts'
import { Select } from '../kit/field.tsx'
import { useSettled } from '../kit/settled.ts'
import type { OrganizationRecord, SettingsRecord } from '../records.ts'
import { useReader, useTexts } from '../text.tsx'
import { previewTexts } from './branding-preview-texts.ts'
import styles from './branding-preview.module.css'

/** Settings as they are typed; those that are undefined, and those that cannot be saved, are shown as they are saved. */
export interface UnsavedBranding {
  readonly accentColor?: string | undefined
  readonly name?: string | undefined
  /** Empty for none */
  readonly supportEmail?: string | undefined
}

const MAX_NAME = 100

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const ADDRESS = new RegExp(`^[^\\s@"(),:;<>[\\]\\\\]{1,64}@${LABEL}(?:\\.${LABEL})*$`, 'i')

const themes = ['light', 'dark'] as const

export const BrandingPreview = ({ accentColor, name, supportEmail }: UnsavedBranding) => {
  const text = useTexts(previewTexts)
  const reader = useReader()
  const [page, setPage] = useState('sign_in')
  const [language, setLanguage] = useState<string>(reader.language)
  const organization = useRecord<OrganizationRecord>('/organization')
  const settings = useRecord<SettingsRecord>('/settings')
  const color = useSettled(accentColor ?? '')
  const typedName = useSettled(name ?? '')
  const support = useSettled(supportEmail ?? '')
  const query = new URLSearchParams({
    ...{ page, language },
    ...(isColor(color) ? { accentColor: color } : {}),
    ...(typedName !== '' && typedName.length <= MAX_NAME ? { name: typedName } : {}),
    ...(supportEmail !== undefined && (support === '' || ADDRESS.test(support))
      ? { supportEmail: support }
      : {}),
  }).toString()
  const saved = JSON.stringify([organization.data, settings.data?.version])
  const titles = {
    light: page === 'email' ? text.emailLight : text.signInLight,
    dark: page === 'email' ? text.emailDark : text.signInDark,
  }
  return (
    <div className={styles['preview']}>
      <div className={styles['choices']}>
        <Select
          name="previewPage"
          label={text.preview}
          value={page}
          options={[
            { value: 'sign_in', label: text.signIn },
            { value: 'email', label: text.email },
          ]}
          onChange={setPage}
        />
        <Select
          name="previewLanguage"
          label={text.language}
          value={language}
          options={[
            { value: 'en', label: text.english },
            { value: 'de', label: text.german },
          ]}
          onChange={setLanguage}
        />
      </div>
      <div className={styles['frames']}>
        {themes.map((theme) => (
          <figure key={theme} className={styles['figure']}>
            <div className={`${styles['sheet'] ?? ''} ${styles[theme] ?? ''}`}>
              {/* With a key, each address is a new frame: navigating one would add an entry to the history. */}
              <iframe
                key={`${query} ${saved}`}
                className={styles['frame']}
                src={`/api/v1/branding/preview?theme=${theme}&${query}`}
                title={titles[theme]}
                sandbox=""
                tabIndex={-1}
              />
            </div>
            <figcaption>{theme === 'light' ? text.light : text.dark}</figcaption>
          </figure>
        ))}
      </div>
    </div>
  )
}
