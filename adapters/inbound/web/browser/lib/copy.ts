import { report } from './page.ts'

/** Puts `text` on the clipboard and says in `scope` how it went. */
export const copyText = async (scope: ParentNode, text: string, done: string): Promise<void> => {
  // Empty first: a second copy with the same words would not be announced.
  report(scope, 'status')
  try {
    await navigator.clipboard.writeText(text)
    report(scope, 'status', done)
  } catch {
    report(scope, 'problem', 'This browser does not let us copy. Select the text and copy it yourself.')
  }
}
