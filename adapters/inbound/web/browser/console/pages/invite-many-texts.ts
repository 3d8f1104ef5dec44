import { texts } from '../text.tsx'

export const inviteManyTexts = texts({
  en: {
    open: 'Invite many',
    title: 'Invite many users',
    intro: 'Each receives an email with a link to set up the first sign-in method.',
    people: 'People, one per line',
    hint: 'For example: Ada Lovelace <ada@example.com>. You can paste rows of a spreadsheet.',
    unclear: (line: string) => `This line has no email address: ${line}`,
    nobody: 'Enter at least one email address.',
    recognized: (count: number) =>
      count === 1 ? '1 address recognized' : `${String(count)} addresses recognized`,
    confirm: 'Send invitations',
    done: (count: number) => (count === 1 ? '1 user was invited' : `${String(count)} users were invited`),
    allEmailed: 'All links were sent by email.',
    links: 'Email is not set up. Download the links and pass them on; they are shown only now.',
    downloadLinks: 'Download the links',
    linksFile: 'Invitation links',
    name: 'Name',
    email: 'Email',
    link: 'Link',
    retry: 'Edit those that failed',
  },
  de: {
    open: 'Mehrere einladen',
    title: 'Mehrere Benutzer einladen',
    intro: 'Alle erhalten eine E-Mail mit einem Link, um ihre erste Anmeldemethode einzurichten.',
    people: 'Personen, eine pro Zeile',
    hint: 'Zum Beispiel: Ada Lovelace <ada@example.com>. Sie können Zeilen einer Tabelle einfügen.',
    unclear: (line: string) => `In dieser Zeile steht keine E-Mail-Adresse: ${line}`,
    nobody: 'Geben Sie mindestens eine E-Mail-Adresse ein.',
    recognized: (count: number) => (count === 1 ? '1 Adresse erkannt' : `${String(count)} Adressen erkannt`),
    confirm: 'Einladungen senden',
    done: (count: number) =>
      count === 1 ? '1 Benutzer wurde eingeladen' : `${String(count)} Benutzer wurden eingeladen`,
    allEmailed: 'Alle Links wurden per E-Mail verschickt.',
    links:
      'E-Mail ist nicht eingerichtet. Laden Sie die Links herunter und geben Sie sie weiter; sie werden nur jetzt angezeigt.',
    downloadLinks: 'Links herunterladen',
    linksFile: 'Einladungslinks',
    name: 'Name',
    email: 'E-Mail',
    link: 'Link',
    retry: 'Fehlgeschlagene bearbeiten',
  },
})
