/** The accent colour, with a preview of the sign-in page and of an email in both themes. */
import { useState } from 'react'
import { useRecord } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { ColorField } from '../kit/field.tsx'
import { Loaded } from '../kit/record.tsx'
import type { OrganizationRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'
import { BrandingPreview } from './branding-preview.tsx'
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
  },
  de: {
    title: 'Akzentfarbe',
    hint: 'Die Farbe von Schaltflächen und Links auf den Seiten des Dienstes und in E-Mails. Seiten zeigen sie dunkler oder heller, bis Text in beiden Farbschemata lesbar ist.',
    change: 'Akzentfarbe ändern',
    color: 'Farbe',
    reset: 'Farbe des Dienstes verwenden',
    resetEffect: 'Seiten und E-Mails zeigen wieder die Farbe des Dienstes.',
    saved: 'Die Akzentfarbe wurde gespeichert',
  },
})

export const AccentColor = ({ mayWrite }: { readonly mayWrite: boolean }) => {
  const text = useTexts(accentTexts)
  const organization = useRecord<OrganizationRecord>('/organization')
  const [dialog, setDialog] = useState<'change' | 'reset' | null>(null)
  const close = (): void => setDialog(null)
  return (
    <Loaded query={organization}>
      {({ accentColor }) => (
        <div className={styles['accent']}>
          <h3>{text.title}</h3>
          <p className="hint">{text.hint}</p>
          {dialog === null && <BrandingPreview />}
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
          {dialog === 'change' && <ChangeColor color={accentColor ?? OWN_COLOR} onClose={close} />}
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
  onClose,
}: {
  readonly color: string
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
          <BrandingPreview accentColor={color} />
        </>
      )}
    />
  )
}
