import type { ImportLineRecord, ImportRecord } from '../records.ts'
import { texts } from '../text.tsx'

/** The formats of files. */
export const sourceNames = texts({
  en: {
    users_csv: 'Users (CSV)',
    groups_csv: 'Groups (CSV)',
    keycloak: 'Keycloak realm export (JSON)',
    okta: 'Okta users (JSON)',
    auth0: 'Auth0 user export (NDJSON)',
  } satisfies Record<ImportRecord['source'], string>,
  de: {
    users_csv: 'Benutzer (CSV)',
    groups_csv: 'Gruppen (CSV)',
    keycloak: 'Keycloak-Realm-Export (JSON)',
    okta: 'Okta-Benutzer (JSON)',
    auth0: 'Auth0-Benutzerexport (NDJSON)',
  },
})

/** What each format needs. */
export const sourceHints = texts({
  en: {
    users_csv:
      'A header with a column email. Other columns: name, givenName, familyName, department, title, employeeId, manager (address), location, phone, locale, timeZone, startDate, endDate, externalId, userName, groups (names, separated by semicolons), custom.<name>.',
    groups_csv: 'A header with a column name, and optionally description.',
    keycloak:
      'The file of "kc.sh export --file", or one file of users of "--dir". Groups are called by their path.',
    okta: 'The array that GET /api/v1/users returns. Attributes that Okta does not define become custom attributes.',
    auth0: 'The file of a bulk user export (POST /api/v2/jobs/users-exports) in JSON.',
  } satisfies Record<ImportRecord['source'], string>,
  de: {
    users_csv:
      'Eine Kopfzeile mit einer Spalte email. Weitere Spalten: name, givenName, familyName, department, title, employeeId, manager (Adresse), location, phone, locale, timeZone, startDate, endDate, externalId, userName, groups (Namen, durch Semikolons getrennt), custom.<Name>.',
    groups_csv: 'Eine Kopfzeile mit einer Spalte name und bei Bedarf description.',
    keycloak:
      'Die Datei von "kc.sh export --file" oder eine Benutzerdatei von "--dir". Gruppen heißen wie ihr Pfad.',
    okta: 'Die Liste, die GET /api/v1/users liefert. Attribute, die Okta nicht definiert, werden eigene Attribute.',
    auth0: 'Die Datei eines Benutzerexports (POST /api/v2/jobs/users-exports) in JSON.',
  },
})

/** How far an import is. */
export const importStatusNames = texts({
  en: {
    checking: 'Being checked',
    ready: 'Checked',
    running: 'Running',
    done: 'Done',
    failed: 'Stopped',
  } satisfies Record<ImportRecord['status'], string>,
  de: {
    checking: 'Wird geprüft',
    ready: 'Geprüft',
    running: 'Läuft',
    done: 'Fertig',
    failed: 'Angehalten',
  },
})

/** What an import does with a line. */
export const actionNames = texts({
  en: {
    create: 'Create',
    update: 'Update',
    add: 'Add to group',
    none: 'No change',
    skip: 'Leave alone',
    error: 'Problem',
  } satisfies Record<keyof ImportRecord['actions'], string>,
  de: {
    create: 'Anlegen',
    update: 'Ändern',
    add: 'In Gruppe aufnehmen',
    none: 'Keine Änderung',
    skip: 'Auslassen',
    error: 'Problem',
  },
})

/** What a line is about. */
export const lineKindNames = texts({
  en: {
    group: 'Group',
    user: 'User',
    manager: 'Manager',
    member: 'Membership',
  } satisfies Record<ImportLineRecord['kind'], string>,
  de: { group: 'Gruppe', user: 'Benutzer', manager: 'Vorgesetzte', member: 'Mitgliedschaft' },
})

export const importTexts = texts({
  en: {
    title: 'Import',
    lead: 'Users and groups from a file of another system. Nothing changes until you have seen, line by line, what would.',
    upload: 'Upload file',
    uploadDone: 'The file was uploaded',
    none: 'No imports in the last 7 days.',
    source: 'Format',
    file: 'File',
    fileHint:
      'UTF-8, at most 32 MB. Passwords are not imported: users sign in with a passkey, or through an identity provider.',
    noFile: 'Choose a file.',
    updates: 'Update users and groups that exist',
    updatesHint: 'With the values of the file. What the file does not have stays, and nobody is removed.',
    status: 'Status',
    requested: 'Uploaded',
    finished: 'Finished',
    expires: 'Deleted',
    lines: 'Lines',
    problems: 'Problems',
    checked: (reached: string, lines: string) => `${reached} of ${lines} lines checked`,
    made: (done: string, failed: string) => `${done} changes made, ${failed} failed`,
    changes: 'Changes',
    ignored: 'Columns that are ignored',
    start: 'Start import',
    startIntro: (changes: string) => `The service makes ${changes} changes in the background, in your name.`,
    startProblems: (problems: string) => `Lines with a problem: ${problems}. They are left out.`,
    invite: 'Invite new users by email',
    inviteHint: 'Each gets a link with which to set up a sign-in method. You can also invite them later.',
    started: 'The import was started',
    remove: 'Delete',
    removeTitle: 'Delete the import',
    removeEffect: 'The list of its lines is deleted. What the import has changed stays.',
    removeRunning: 'It stops. What it has changed so far stays.',
    removed: 'The import was deleted',
    line: 'Line',
    what: 'What',
    action: 'Action',
    change: 'Change',
    result: 'Result',
    done: 'Done',
    failed: 'Failed',
    empty: 'No lines.',
    history: 'Audit entries of this import',
  },
  de: {
    title: 'Import',
    lead: 'Benutzer und Gruppen aus der Datei eines anderen Systems. Nichts ändert sich, bevor Sie Zeile für Zeile gesehen haben, was sich ändern würde.',
    upload: 'Datei hochladen',
    uploadDone: 'Die Datei wurde hochgeladen',
    none: 'Keine Importe in den letzten 7 Tagen.',
    source: 'Format',
    file: 'Datei',
    fileHint:
      'UTF-8, höchstens 32 MB. Passwörter werden nicht importiert: Benutzer melden sich mit einem Passkey oder über einen Identitätsanbieter an.',
    noFile: 'Wählen Sie eine Datei.',
    updates: 'Vorhandene Benutzer und Gruppen ändern',
    updatesHint: 'Auf die Werte der Datei. Was die Datei nicht hat, bleibt, und niemand wird entfernt.',
    status: 'Status',
    requested: 'Hochgeladen',
    finished: 'Beendet',
    expires: 'Wird gelöscht',
    lines: 'Zeilen',
    problems: 'Probleme',
    checked: (reached: string, lines: string) => `${reached} von ${lines} Zeilen geprüft`,
    made: (done: string, failed: string) => `${done} Änderungen vorgenommen, ${failed} fehlgeschlagen`,
    changes: 'Änderungen',
    ignored: 'Spalten ohne Bedeutung',
    start: 'Import starten',
    startIntro: (changes: string) =>
      `Der Dienst nimmt im Hintergrund ${changes} Änderungen vor, in Ihrem Namen.`,
    startProblems: (problems: string) => `Zeilen mit einem Problem: ${problems}. Sie werden ausgelassen.`,
    invite: 'Neue Benutzer per E-Mail einladen',
    inviteHint:
      'Alle erhalten einen Link, mit dem sie ein Anmeldeverfahren einrichten. Sie können sie auch später einladen.',
    started: 'Der Import wurde gestartet',
    remove: 'Löschen',
    removeTitle: 'Import löschen',
    removeEffect: 'Die Liste seiner Zeilen wird gelöscht. Was der Import geändert hat, bleibt.',
    removeRunning: 'Er hält an. Was er bisher geändert hat, bleibt.',
    removed: 'Der Import wurde gelöscht',
    line: 'Zeile',
    what: 'Was',
    action: 'Aktion',
    change: 'Änderung',
    result: 'Ergebnis',
    done: 'Erledigt',
    failed: 'Fehlgeschlagen',
    empty: 'Keine Zeilen.',
    history: 'Audit-Einträge dieses Imports',
  },
})
