import { report } from './page.ts'

/** Copies `text` to the clipboard and reports the result in `scope`. */
export const copyText = async (scope: ParentNode, text: string, done: string): Promise<void> => {
  // Empty first: a second copy with the same words would not be announced.
  report(scope, 'status')
  try {
    await navigator.clipboard.writeText(text)
    report(scope, 'status', done)
  } catch {
    report(scope, 'problem', 'This browser blocked copying. Select the text and copy it yourself.')
  }
}
