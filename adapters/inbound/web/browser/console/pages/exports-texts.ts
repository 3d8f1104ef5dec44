import type { ExportFormat, ExportKind } from '../../../../../../domain/export/events.ts'
import type { ExportRecord } from '../records.ts'
import { texts } from '../text.tsx'

/** The names of what an export can contain. */
export const kindNames = texts({
  en: {
    users: 'Users',
    groups: 'Groups',
    memberships: 'Memberships',
    applications: 'Applications',
    assignments: 'Assignments',
    sign_ins: 'Sign-ins',
    audit: 'Audit trail',
    log: 'Event log',
  } satisfies Record<ExportKind, string>,
  de: {
    users: 'Benutzer',
    groups: 'Gruppen',
    memberships: 'Mitgliedschaften',
    applications: 'Anwendungen',
    assignments: 'Zuweisungen',
    sign_ins: 'Anmeldungen',
    audit: 'Audit-Protokoll',
    log: 'Ereignisprotokoll',
  },
})

/** What each file has. */
export const kindHints = texts({
  en: {
    users: 'Everyone who is not deleted, with status, roles and last sign-in',
    groups: 'With their rules and owners',
    memberships: 'Who is in which group, through what, and who added them',
    applications: 'With their settings, without secrets',
    assignments: 'Which groups are assigned to which applications, and by whom',
    sign_ins: 'All attempts that are still kept',
    audit: 'All entries that are still kept',
    log: 'The events with their proof: with them, anyone can check offline that nothing is missing',
  } satisfies Record<ExportKind, string>,
  de: {
    users: 'Alle, die nicht gelöscht sind, mit Status, Rollen und letzter Anmeldung',
    groups: 'Mit ihren Regeln und Verantwortlichen',
    memberships: 'Wer in welcher Gruppe ist, wodurch, und wer sie hinzugefügt hat',
    applications: 'Mit ihren Einstellungen, ohne Geheimnisse',
    assignments: 'Welche Gruppen welchen Anwendungen zugewiesen sind, und von wem',
    sign_ins: 'Alle Versuche, die noch aufbewahrt werden',
    audit: 'Alle Einträge, die noch aufbewahrt werden',
    log: 'Die Ereignisse mit ihrem Nachweis: Damit kann jeder offline prüfen, dass nichts fehlt',
  },
})

/** The formats of the files. */
export const formatNames = texts({
  en: { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, for programs' } satisfies Record<ExportFormat, string>,
  de: { csv: 'CSV, für Tabellenprogramme', ndjson: 'NDJSON, für Programme' },
})

/** How far an export is. */
export const statusNames = texts({
  en: {
    queued: 'Waiting',
    running: 'Being written',
    ready: 'Ready',
    failed: 'Failed',
  } satisfies Record<ExportRecord['status'], string>,
  de: {
    queued: 'Wartet',
    running: 'Wird geschrieben',
    ready: 'Fertig',
    failed: 'Fehlgeschlagen',
  },
})

export const exportTexts = texts({
  en: {
    title: 'Export',
    lead: 'Archives of what the service knows at one moment, with a proof that they are complete. Each can be downloaded once, within 24 hours.',
    request: 'New export',
    requestHint:
      'The archive is written in the background. The request and each download are in the audit trail.',
    requestDone: 'The export was requested',
    none: 'No exports in the last 24 hours.',
    contents: 'Contents',
    noKind: 'Choose at least one.',
    format: 'Format',
    at: 'As of',
    atHint: 'Empty: now',
    status: 'Status',
    progress: (rows: string, total: string) => `${rows} of about ${total} rows`,
    written: (rows: string) => `${rows} rows`,
    state: 'State of',
    requested: 'Requested',
    downloaded: 'Downloaded',
    expires: 'Deleted',
    sha256: 'SHA-256 of the file',
    download: 'Download',
    cancel: 'Cancel',
    remove: 'Delete',
    removeTitle: 'Delete the export',
    removeEffect: 'The file can no longer be downloaded.',
    removed: 'The export was deleted',
  },
  de: {
    title: 'Export',
    lead: 'Archive dessen, was der Dienst zu einem Zeitpunkt weiß, mit dem Nachweis, dass sie vollständig sind. Jedes kann innerhalb von 24 Stunden einmal heruntergeladen werden.',
    request: 'Neuer Export',
    requestHint:
      'Das Archiv wird im Hintergrund geschrieben. Die Anforderung und jeder Download stehen im Audit-Protokoll.',
    requestDone: 'Der Export wurde angefordert',
    none: 'Keine Exporte in den letzten 24 Stunden.',
    contents: 'Inhalt',
    noKind: 'Wählen Sie mindestens eines.',
    format: 'Format',
    at: 'Stand vom',
    atHint: 'Leer: jetzt',
    status: 'Status',
    progress: (rows: string, total: string) => `${rows} von etwa ${total} Zeilen`,
    written: (rows: string) => `${rows} Zeilen`,
    state: 'Stand vom',
    requested: 'Angefordert',
    downloaded: 'Heruntergeladen',
    expires: 'Wird gelöscht',
    sha256: 'SHA-256 der Datei',
    download: 'Herunterladen',
    cancel: 'Abbrechen',
    remove: 'Löschen',
    removeTitle: 'Export löschen',
    removeEffect: 'Die Datei kann nicht mehr heruntergeladen werden.',
    removed: 'Der Export wurde gelöscht',
  },
})
