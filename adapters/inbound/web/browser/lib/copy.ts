import { report } from './page.ts'

/** Copies `text` to the clipboard and reports the result in `scope`. */
export const copyText = async (scope: ParentNode, text: string, done: string): Promise<void> => {
  // Cleared first, because a repeated text would not be announced.
  report(scope, 'status')
  try {
    await navigator.clipboard.writeText(text)
    report(scope, 'status', done)
  } catch {
    report(scope, 'problem', 'This browser blocked copying. Select the text and copy it yourself.')
  }
}
