import { useRecord } from '../api.ts'
import { Loaded } from '../kit/record.tsx'
import type { OrganizationRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'
import { LogoUpload } from './logo-upload.tsx'

const logoTexts = texts({
  en: {
    hint: 'On the pages of the service, and in emails unless it is an SVG.',
    none: 'No logo: pages show the first letter of the name.',
    removeEffect: 'Pages show the first letter of the name instead.',
  },
  de: {
    hint: 'Auf den Seiten des Dienstes, und in E-Mails, wenn es kein SVG ist.',
    none: 'Kein Logo: Seiten zeigen den ersten Buchstaben des Namens.',
    removeEffect: 'Seiten zeigen stattdessen den ersten Buchstaben des Namens.',
  },
})

/** The logo of the organization. */
export const Logo = ({ mayWrite }: { readonly mayWrite: boolean }) => {
  const text = useTexts(logoTexts)
  const organization = useRecord<OrganizationRecord>('/organization')
  return (
    <Loaded query={organization}>
      {({ logoUrl }) => <LogoUpload path="/branding/logo" logoUrl={logoUrl} mayWrite={mayWrite} {...text} />}
    </Loaded>
  )
}
