import { texts } from '../text.tsx'

export const bulkTexts = texts({
  en: {
    actions: 'Actions for the selected rows',
    selectRest: 'Select all that match',
    selecting: (count: number) => `Selecting … ${String(count)}`,
    selectedMost: (count: number) => `The first ${String(count)} are selected; more match.`,
    appliesTo: (count: number, of: number) =>
      `This applies to ${String(count)} of the ${String(of)} selected; the others stay as they are.`,
    more: (count: number) => `and ${String(count)} more`,
    progress: (done: number, of: number) => `${String(done)} of ${String(of)}`,
    waits: (seconds: number) =>
      `The service is busy. Continues in ${seconds === 1 ? '1 second' : `${String(seconds)} seconds`}.`,
    changed: (done: number, of: number) => `Done for ${String(done)} of ${String(of)}.`,
    stop: 'Stop',
    again: 'Continue with the rest',
    finished: (title: string) => `Done. ${title}`,
  },
  de: {
    actions: 'Aktionen für die ausgewählten Zeilen',
    selectRest: 'Alle Treffer auswählen',
    selecting: (count: number) => `Wird ausgewählt … ${String(count)}`,
    selectedMost: (count: number) => `Die ersten ${String(count)} sind ausgewählt; es gibt weitere Treffer.`,
    appliesTo: (count: number, of: number) =>
      `Das betrifft ${String(count)} der ${String(of)} ausgewählten; die übrigen bleiben, wie sie sind.`,
    more: (count: number) => `und ${String(count)} weitere`,
    progress: (done: number, of: number) => `${String(done)} von ${String(of)}`,
    waits: (seconds: number) =>
      `Der Dienst ist ausgelastet. Weiter in ${seconds === 1 ? '1 Sekunde' : `${String(seconds)} Sekunden`}.`,
    changed: (done: number, of: number) => `Für ${String(done)} von ${String(of)} erledigt.`,
    stop: 'Anhalten',
    again: 'Mit den übrigen weitermachen',
    finished: (title: string) => `Erledigt. ${title}`,
  },
})
