import { useMoment } from '../moment.tsx'
import type { ApplicationRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'
import { LogoUpload } from './logo-upload.tsx'
import styles from './logo-upload.module.css'

const logoTexts = texts({
  en: {
    hint: 'On the account page of users and on the sign-in page. It takes precedence over the address of the logo.',
    none: 'No uploaded logo: these pages show the first letter of the name.',
    removeEffect: 'Pages show the first letter of the name instead.',
  },
  de: {
    hint: 'Auf der Kontoseite der Benutzer und auf der Anmeldeseite. Es hat Vorrang vor der Adresse des Logos.',
    none: 'Kein hochgeladenes Logo: Diese Seiten zeigen den ersten Buchstaben des Namens.',
    removeEffect: 'Seiten zeigen stattdessen den ersten Buchstaben des Namens.',
  },
})

/** The uploaded logo of an application. Those of the past are not kept. */
export const ApplicationLogo = ({
  application: { id, uploadedLogoUrl },
  mayWrite,
}: {
  readonly application: ApplicationRecord
  readonly mayWrite: boolean
}) => {
  const text = useTexts(logoTexts)
  const { at } = useMoment()
  return at === null ? (
    <LogoUpload path={`/applications/${id}/logo`} logoUrl={uploadedLogoUrl} mayWrite={mayWrite} {...text} />
  ) : null
}

/** The uploaded logo beside the name of an application, which stands in for it. */
export const ApplicationMark = ({ uploadedLogoUrl }: Pick<ApplicationRecord, 'uploadedLogoUrl'>) =>
  uploadedLogoUrl === null ? null : <img className={styles['mark']} src={uploadedLogoUrl} alt="" />
