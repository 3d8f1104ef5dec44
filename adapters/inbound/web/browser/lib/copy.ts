import { report } from './page.ts'
import { texts } from './texts.ts'

const words = texts({
  en: {
    blocked: 'This browser blocked copying. Select the text and copy it yourself.',
  },
  de: {
    blocked: 'Dieser Browser hat das Kopieren blockiert. Markieren Sie den Text und kopieren Sie ihn selbst.',
  },
})

/** Copies `text` to the clipboard and reports the result in `scope`. */
export const copyText = async (scope: ParentNode, text: string, done: string): Promise<void> => {
  // Cleared first, because a repeated text would not be announced.
  report(scope, 'status')
  try {
    await navigator.clipboard.writeText(text)
    report(scope, 'status', done)
  } catch {
    report(scope, 'problem', words().blocked)
  }
}
