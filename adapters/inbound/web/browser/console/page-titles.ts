import type { ConsolePageName } from '../../console/page-list.ts'
import { texts } from './text.tsx'

/** The name of each page, in the navigation and where others link to it. */
export const pageTitles = texts({
  en: {
    overview: 'Overview',
    users: 'Users',
    user: 'User',
    audit: 'Audit trail',
    signIns: 'Sign-ins',
    settings: 'Settings',
    signInMethods: 'Sign-in methods',
    keys: 'Signing keys',
    applications: 'Applications',
    application: 'Application',
    webhooks: 'Webhooks',
    webhook: 'Webhook',
    sessions: 'Sessions',
    devices: 'Devices',
    groups: 'Groups',
    group: 'Group',
  } satisfies Record<ConsolePageName, string>,
  de: {
    overview: 'Übersicht',
    users: 'Benutzer',
    user: 'Benutzer',
    audit: 'Audit-Protokoll',
    signIns: 'Anmeldungen',
    settings: 'Einstellungen',
    signInMethods: 'Anmeldemethoden',
    keys: 'Signaturschlüssel',
    applications: 'Anwendungen',
    application: 'Anwendung',
    webhooks: 'Webhooks',
    webhook: 'Webhook',
    sessions: 'Sitzungen',
    devices: 'Geräte',
    groups: 'Gruppen',
    group: 'Gruppe',
  },
})
