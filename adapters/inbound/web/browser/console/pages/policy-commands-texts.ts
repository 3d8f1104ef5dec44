import { texts } from '../text.tsx'

export const policyCommandTexts = texts({
  en: {
    enable: 'Enable',
    report: 'Report only',
    disable: 'Disable',
    delete: 'Delete',
    deleteEffect: 'The policy has no effect any more. Its history stays.',
    counted: (count: number) => (count === 1 ? '1 policy' : `${String(count)} policies`),
  },
  de: {
    enable: 'Aktivieren',
    report: 'Nur Bericht',
    disable: 'Deaktivieren',
    delete: 'Löschen',
    deleteEffect: 'Die Richtlinie wirkt nicht mehr. Ihr Verlauf bleibt.',
    counted: (count: number) => (count === 1 ? '1 Richtlinie' : `${String(count)} Richtlinien`),
  },
})
