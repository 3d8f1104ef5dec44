import { texts, useTexts } from '../text.tsx'

const domainsTexts = texts({
  en: {
    title: 'Domains',
    lead: 'Domains that belong to your organization, which a TXT record in the DNS proves.',
    add: 'Add domain',
    addIntro: 'You get a TXT record to create at your DNS provider.',
    name: 'Domain',
    nameHint: 'Such as example.com.',
    status: 'Status',
    verifiedAt: 'Verified',
    lastCheckedAt: 'Last check',
    never: 'Never',
    empty: 'No domains match.',
    record: 'The record to create',
    recordHint:
      'Create it at your DNS provider. It can take some time until the DNS servers of others know it.',
    recordName: 'Name',
    recordType: 'Type',
    recordValue: 'Value',
    state: 'State',
    missingSince: 'Record missing since',
    missingHint:
      'The record of this domain is missing. Without it for seven days, the domain is no longer verified.',
    foundInstead: 'Found instead',
    nothing: 'No TXT record',
    domainId: 'Domain id',
    verify: 'Verify now',
    verifyIntro: 'Looks up the TXT record at the DNS servers.',
    verified: (name: string) => `${name} is verified`,
    remove: 'Remove',
    removeEffect: 'To add it again, you need a new record.',
    removed: (name: string) => `${name} was removed`,
    history: 'History',
    overview: 'Overview',
  },
  de: {
    title: 'Domains',
    lead: 'Domains, die Ihrer Organisation gehören, was ein TXT-Eintrag im DNS beweist.',
    add: 'Domain hinzufügen',
    addIntro: 'Sie erhalten einen TXT-Eintrag, den Sie bei Ihrem DNS-Anbieter anlegen.',
    name: 'Domain',
    nameHint: 'Zum Beispiel example.com.',
    status: 'Status',
    verifiedAt: 'Bestätigt',
    lastCheckedAt: 'Letzte Prüfung',
    never: 'Nie',
    empty: 'Keine passenden Domains.',
    record: 'Der anzulegende Eintrag',
    recordHint:
      'Legen Sie ihn bei Ihrem DNS-Anbieter an. Es kann etwas dauern, bis andere DNS-Server ihn kennen.',
    recordName: 'Name',
    recordType: 'Typ',
    recordValue: 'Wert',
    state: 'Zustand',
    missingSince: 'Eintrag fehlt seit',
    missingHint:
      'Der Eintrag dieser Domain fehlt. Ohne ihn ist die Domain nach sieben Tagen nicht mehr bestätigt.',
    foundInstead: 'Stattdessen gefunden',
    nothing: 'Kein TXT-Eintrag',
    domainId: 'Domain-ID',
    verify: 'Jetzt prüfen',
    verifyIntro: 'Fragt die DNS-Server nach dem TXT-Eintrag.',
    verified: (name: string) => `${name} ist bestätigt`,
    remove: 'Entfernen',
    removeEffect: 'Um sie wieder hinzuzufügen, brauchen Sie einen neuen Eintrag.',
    removed: (name: string) => `${name} wurde entfernt`,
    history: 'Verlauf',
    overview: 'Übersicht',
  },
})

const statusTexts = texts({
  en: { pending: 'Pending', verified: 'Verified', failed: 'Not found' },
  de: { pending: 'Ausstehend', verified: 'Bestätigt', failed: 'Nicht gefunden' },
})

export const useDomainsTexts = () => ({ ...useTexts(domainsTexts), statuses: useTexts(statusTexts) })
