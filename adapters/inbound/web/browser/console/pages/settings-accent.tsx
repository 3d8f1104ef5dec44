/** The accent colour, with a preview of the sign-in page and of an email in both themes. */
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { accentTokens, isColor, type AccentTokens } from '../../../../../../domain/branding/accent.ts'
import { useRecord } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { ColorField } from '../kit/field.tsx'
import { Loaded } from '../kit/record.tsx'
import type { OrganizationRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'
import styles from './settings-accent.module.css'

/** The colour of the service, as in the design tokens */
const OWN_COLOR = '#0f5f66'

const accentTexts = texts({
  en: {
    title: 'Accent colour',
    hint: 'Of buttons and links on the pages of the service and in emails. Pages show it darker or lighter until text is readable in both themes.',
    change: 'Change accent colour',
    color: 'Colour',
    reset: 'Use the colour of the service',
    resetEffect: 'Pages and emails show the colour of the service again.',
    saved: 'The accent colour was saved',
    signIn: 'Sign in',
    email: 'Email address',
    next: 'Continue',
    otherWay: 'Sign in another way',
    invited: 'You are invited',
    setUp: 'Set up your account',
    lightTheme: 'Light theme',
    darkTheme: 'Dark theme',
  },
  de: {
    title: 'Akzentfarbe',
    hint: 'Die Farbe von Schaltflächen und Links auf den Seiten des Dienstes und in E-Mails. Seiten zeigen sie dunkler oder heller, bis Text in beiden Farbschemata lesbar ist.',
    change: 'Akzentfarbe ändern',
    color: 'Farbe',
    reset: 'Farbe des Dienstes verwenden',
    resetEffect: 'Seiten und E-Mails zeigen wieder die Farbe des Dienstes.',
    saved: 'Die Akzentfarbe wurde gespeichert',
    signIn: 'Anmelden',
    email: 'E-Mail-Adresse',
    next: 'Weiter',
    otherWay: 'Anders anmelden',
    invited: 'Sie sind eingeladen',
    setUp: 'Konto einrichten',
    lightTheme: 'Helles Farbschema',
    darkTheme: 'Dunkles Farbschema',
  },
})

/** Custom properties are set by script: the policy of the page blocks style attributes in markup. */
const Tinted = ({
  tokens: { accent, onAccent, accentWash, groundGlow },
  theme,
  label,
  children,
}: {
  readonly tokens: AccentTokens
  readonly theme: 'light' | 'dark'
  readonly label: string
  readonly children: ReactNode
}) => {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const values = { accent, 'on-accent': onAccent, 'accent-wash': accentWash, 'ground-glow': groundGlow }
    for (const [name, value] of Object.entries(values)) box.current?.style.setProperty(`--${name}`, value)
  })
  return (
    <div
      ref={box}
      className={`${styles['theme'] ?? ''} ${styles[theme] ?? ''}`}
      role="group"
      aria-label={label}
    >
      {children}
    </div>
  )
}

/** What a colour looks like: the sign-in page and an email. */
const Preview = ({ color, name }: { readonly color: string; readonly name: string }) => {
  const text = useTexts(accentTexts)
  const tokens = accentTokens(color)
  const labels = { light: text.lightTheme, dark: text.darkTheme }
  return (
    <div className={styles['previews']}>
      {(['light', 'dark'] as const).map((theme) => (
        <Tinted key={theme} tokens={tokens[theme]} theme={theme} label={labels[theme]}>
          <div className={styles['sheet']}>
            <p className={styles['brand']}>{name}</p>
            <p className={styles['heading']}>{text.signIn}</p>
            <p className={styles['input']}>{text.email}</p>
            <p className={styles['button']}>{text.next}</p>
            <p className={styles['link']}>{text.otherWay}</p>
          </div>
          <div className={styles['sheet']}>
            <p className={styles['brand']}>{name}</p>
            <p className={styles['heading']}>{text.invited}</p>
            <p className={styles['button']}>{text.setUp}</p>
          </div>
        </Tinted>
      ))}
    </div>
  )
}

export const AccentColor = ({ mayWrite }: { readonly mayWrite: boolean }) => {
  const text = useTexts(accentTexts)
  const organization = useRecord<OrganizationRecord>('/organization')
  const [dialog, setDialog] = useState<'change' | 'reset' | null>(null)
  const close = (): void => setDialog(null)
  return (
    <Loaded query={organization}>
      {({ accentColor, name }) => (
        <div className={styles['accent']}>
          <h3>{text.title}</h3>
          <p className="hint">{text.hint}</p>
          <Preview color={accentColor ?? OWN_COLOR} name={name} />
          {mayWrite && (
            <div className="actions">
              <Button small onClick={() => setDialog('change')}>
                {text.change}
              </Button>
              {accentColor !== null && (
                <Button small onClick={() => setDialog('reset')}>
                  {text.reset}
                </Button>
              )}
            </div>
          )}
          {dialog === 'change' && (
            <ChangeColor color={accentColor ?? OWN_COLOR} name={name} onClose={close} />
          )}
          {dialog === 'reset' && (
            <CommandDialog
              title={text.reset}
              intro={<p>{text.resetEffect}</p>}
              confirm={text.reset}
              done={text.saved}
              command={() => ({ method: 'PUT', path: '/branding/accent-color', body: { accentColor: null } })}
              onClose={close}
            />
          )}
        </div>
      )}
    </Loaded>
  )
}

const ChangeColor = ({
  color: before,
  name,
  onClose,
}: {
  readonly color: string
  readonly name: string
  readonly onClose: () => void
}) => {
  const text = useTexts(accentTexts)
  const [color, setColor] = useState(before)
  return (
    <CommandDialog
      title={text.change}
      confirm={text.change}
      done={text.saved}
      names={['accentColor']}
      command={() => ({ method: 'PUT', path: '/branding/accent-color', body: { accentColor: color } })}
      onClose={onClose}
      fields={(errorOf) => (
        <>
          <ColorField
            name="accentColor"
            label={text.color}
            value={color}
            error={errorOf('accentColor')}
            onChange={setColor}
          />
          {isColor(color) && <Preview color={color} name={name} />}
        </>
      )}
    />
  )
}
