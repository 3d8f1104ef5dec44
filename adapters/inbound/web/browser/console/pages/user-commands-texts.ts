import { texts } from '../text.tsx'

export const userCommandTexts = texts({
  en: {
    counted: (count: number) => (count === 1 ? '1 user' : `${String(count)} users`),
    addToGroup: 'Add to a group',
    addToGroupEffect: 'They can immediately open the applications that the group opens.',
    group: 'Group',
    chooseGroup: 'Choose a group',
    needsGroup: 'Choose a group.',
    invite: 'Invite again',
    inviteEffect: 'Each receives an email with a new invitation link. The previous link stops working.',
    notEmailed:
      'The email could not be sent. Invite this user on their own page, and pass the link on yourself.',
    endSessions: 'End all sessions',
    endSessionsEffect: 'They must sign in again in every browser and application.',
  },
  de: {
    counted: (count: number) => `${String(count)} Benutzer`,
    addToGroup: 'Zu einer Gruppe hinzufügen',
    addToGroupEffect: 'Sie können sofort die Anwendungen öffnen, für die diese Gruppe zugewiesen ist.',
    group: 'Gruppe',
    chooseGroup: 'Gruppe auswählen',
    needsGroup: 'Wählen Sie eine Gruppe aus.',
    invite: 'Erneut einladen',
    inviteEffect:
      'Jede Person erhält eine E-Mail mit einem neuen Einladungslink. Der vorige Link gilt nicht mehr.',
    notEmailed:
      'Die E-Mail konnte nicht verschickt werden. Laden Sie diese Person auf ihrer eigenen Seite ein, und geben Sie den Link selbst weiter.',
    endSessions: 'Alle Sitzungen beenden',
    endSessionsEffect: 'Sie müssen sich in jedem Browser und jeder Anwendung neu anmelden.',
  },
})
